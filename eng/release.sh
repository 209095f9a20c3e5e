#!/usr/bin/env bash
# Makes what a release consists of: packages with their symbols, an SBOM (SPDX 2.2) and the provenance of the build (in-toto, SLSA 1.0).
#
#   eng/release.sh VERSION [REPOSITORY_URL]   into artifacts/release, from a clean checkout
#   eng/release.sh --verify FOLDER            builds the commit that FOLDER/provenance.json names anew, in a clone, and compares the bytes
#   eng/release.sh --compatible [COMMIT]      compares the public surface with that of the packages of COMMIT (0.1.0's section unless told)
#
# The packages of one commit have the same bytes wherever they are built, so that a provenance can be checked by who does not trust its builder.
# --compatible prints each member that is gone or has changed; what a release means to change stands in CHANGELOG.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

release=artifacts/release
first=b8a78b8a

usage() {
    sed -n 's/^#   //p' eng/release.sh >&2
    exit 2
}

# What NuGet and the compiler make depends on the commit and on the SDK alone (global.json).
pack() { # TREE FOLDER VERSION [REPOSITORY_URL] [PROPERTY]...
    local tree=$1 folder=$2 version=$3 url=${4:-}
    shift 3
    [[ $# -eq 0 ]] || shift
    dotnet pack "$tree/Packages.slnf" -c Release -v quiet -o "$folder" "-p:Version=$version" ${url:+"-p:RepositoryUrl=$url"} "$@"
}

clone() { # COMMIT [REPOSITORY_URL]: a clone of this repository at that commit, below $work. SourceLink reads the origin, so that is the given one or none.
    git clone -q . "$work/tree"
    git -C "$work/tree" checkout -q "$1"
    git -C "$work/tree" remote remove origin
    [[ -z ${2:-} ]] || git -C "$work/tree" remote add origin "$2"
}

subjects() { # one line of JSON per package: its name and digest
    (cd "$release" && sha256sum -- *.nupkg *.snupkg) |
        sed 's|^\([0-9a-f]*\)  \(.*\)$|    { "name": "\2", "digest": { "sha256": "\1" } }|; $!s/$/,/'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1:-} in
    --verify)
        [[ $# -eq 2 && -e $2/provenance.json ]] || usage
        field() { sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" "$given/provenance.json"; }
        given=$(realpath "$2")
        if [[ $(dotnet --version) != "$(field sdk)" ]]; then
            echo "eng/release.sh: the release was built by the .NET SDK $(field sdk), and $(dotnet --version) makes other bytes. Install $(field sdk)," \
                "and name it in global.json." >&2
            exit 1
        fi
        clone "$(field gitCommit)" "$(field repository)"
        pack "$work/tree" "$work/packages" "$(field version)" "$(field repository)"
        sed -n 's/.*"name": "\(.*nupkg\)", "digest": { "sha256": "\([0-9a-f]*\)".*/\2  \1/p' "$given/provenance.json" > "$work/digests"
        (cd "$work/packages" && sha256sum --check --strict "$work/digests")
        (cd "$given" && sha256sum --check --strict --quiet "$work/digests")
        ;;
    --compatible)
        clone "${2:-$first}"
        pack "$work/tree" "$work/baseline" 0.1.0
        pack . "$work/packages" 0.1.0 "" "-p:BaselinePackages=$work/baseline"
        echo "compatible with ${2:-$first}"
        ;;
    "" | -*) usage ;;
    *)
        version=$1 url=${2:-}
        [[ $# -le 2 ]] || usage
        if [[ -n $(git status --porcelain) ]]; then
            echo "eng/release.sh: the checkout has changes that no commit names. Commit them first." >&2
            exit 1
        fi
        rm -rf "$release"
        started=$(date -u +%Y-%m-%dT%H:%M:%SZ)
        clone "$(git rev-parse HEAD)" "$url"
        pack "$work/tree" "$PWD/$release" "$version" "$url"

        # The tool reads what NuGet resolved for each package.
        for project in src/*/; do
            name=$(basename "$project")
            [[ $name != Ioxide.Analyzers* ]] || continue
            install -D "$work/tree/artifacts/obj/$name/project.assets.json" "$work/components/$name/obj/project.assets.json"
        done
        dotnet tool restore > "$work/restored"
        mkdir "$work/sbom"
        DOTNET_ROLL_FORWARD=Major dotnet sbom-tool generate -b "$release" -m "$work/sbom" -bc "$work/components" -pn Ioxide -pv "$version" \
            -ps "Ioxide contributors" -nsb "${url:-https://localhost/ioxide}" -V Error > "$work/told" || { cat "$work/told" >&2; exit 1; }
        cp "$work"/sbom/_manifest/spdx_2.2/manifest.spdx.json "$release/ioxide.$version.spdx.json"

        cat > "$release/provenance.json" << JSON
{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [
$(subjects)
  ],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "${url:-https://localhost/ioxide}/eng/release.sh",
      "externalParameters": { "version": "$version", "repository": "$url" },
      "internalParameters": { "sdk": "$(dotnet --version)" },
      "resolvedDependencies": [ { "uri": "git+${url:-https://localhost/ioxide}", "digest": { "gitCommit": "$(git rev-parse HEAD)" } } ]
    },
    "runDetails": {
      "builder": { "id": "${url:-https://localhost/ioxide}/eng/release.sh" },
      "metadata": { "startedOn": "$started", "finishedOn": "$(date -u +%Y-%m-%dT%H:%M:%SZ)" }
    }
  }
}
JSON
        ls -l "$release"
        ;;
esac
