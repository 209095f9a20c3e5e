# shellcheck shell=bash
# Sourced by the scripts of this folder: builds what they run. Needs $root and $artifacts.

# A failed build ends the run: what was built before may be another state of the code.
build_project() {
    dotnet build "${root:?}/$1" -c Release --nologo -tl:off -v quiet "-clp:ErrorsOnly;NoSummary" \
        "-p:ArtifactsPath=${artifacts:?}" >&2
}

build_liburing() {
    mkdir -p "${artifacts:?}/bench"
    cc -O2 -o "$artifacts/bench/raw_liburing" "${root:?}/bench/peers/raw_liburing.c" -luring
}

# The load host as an application has it that references the packages: their code is compiled ahead.
build_packaged() {
    dotnet publish "${root:?}/eng/Ahead" -c Release -r linux-x64 --nologo -tl:off -v quiet "-clp:ErrorsOnly;NoSummary" \
        "-p:ArtifactsPath=${artifacts:?}" -o "$artifacts/bench/ahead" >&2
    rm -rf "$artifacts/bench/loadhost-packages"
    cp -r "$artifacts/bin/Ioxide.LoadHost/release" "$artifacts/bench/loadhost-packages"
    local library
    for library in "$artifacts"/bench/ahead/Ioxide*.dll; do
        [[ ! -e $artifacts/bench/loadhost-packages/${library##*/} ]] || cp "$library" "$artifacts/bench/loadhost-packages/"
    done
}

# The load host without the framework beside it: build_published trimmed|aot
build_published() {
    local how=-p:PublishTrimmed=true
    [[ $1 != aot ]] || how=-p:PublishAot=true
    dotnet publish "${root:?}/bench/Ioxide.LoadHost" -c Release -r linux-x64 --self-contained --nologo -tl:off -v quiet \
        "-clp:ErrorsOnly;NoSummary" "$how" "-p:ArtifactsPath=${artifacts:?}/bench/publish-$1" -o "$artifacts/bench/loadhost-$1" >&2
}
