#!/usr/bin/env bash
# Installs the templates into a hive of their own, makes a project of each, builds it against the packages and runs it.
#
#   eng/templates-check.sh FOLDER     the packages of one version, as `dotnet pack` writes them; Ioxide.Templates among them
set -euo pipefail
packages=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
config=$PWD/NuGet.config
work=$(mktemp -d)
server=
end() {
    [[ -z $server ]] || kill "$server" 2> /dev/null || true
    rm -rf "$work"
}
trap end EXIT
trap 'exit 143' INT TERM

# Outside the repository, so that nothing of it is inherited; packages of the same version may be in the user's own cache.
export NUGET_PACKAGES=$work/cache DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
sed "s|<packageSourceMapping>|<packageSources><add key=\"packed\" value=\"$packages\" /></packageSources>\n  &\n    <packageSource key=\"packed\"><package pattern=\"Ioxide*\" /></packageSource>|" \
    "$config" > "$work/NuGet.config"
hive=(--debug:custom-hive "$work/hive")
dotnet new install "$packages"/Ioxide.Templates.[0-9]*.nupkg "${hive[@]}" > /dev/null

# Waits for a line of the server's that matches, for at most a minute, and prints it.
line() {
    local count
    for ((count = 0; count < 600; count++)); do
        grep -m 1 "$1" "$work/log" && return 0
        kill -0 "$server" 2> /dev/null || break
        sleep 0.1
    done
    echo "no line like '$1':" >&2
    cat "$work/log" >&2
    return 1
}

# Makes and builds a project, and lets it check the machine. A refused ring is told there, and is no fault of the template.
make() {
    local template=$1 name=$2 status=0
    dotnet new "$template" -n "$name" -o "$work/$name" "${hive[@]}" > /dev/null
    dotnet build "$work/$name" -c Release -warnaserror -v quiet -nologo -o "$work/$name/out" > "$work/log" || {
        cat "$work/log"
        return 1
    }
    DOTNET_EnableDiagnostics=0 "$work/$name/out/$name" --ioxide-check > "$work/log" || status=$?
    if ! grep -q '^ok *kernel ' "$work/log" || [[ $status -gt 1 ]]; then
        echo "$template: --ioxide-check ended with $status and said:"
        cat "$work/log"
        return 1
    fi
}

make ioxide Shop.Web
make ioxide-raw Shop.Echo

# The analyzer comes with the package.
mkdir "$work/Blocking"
cp "$work/Shop.Web/Shop.Web.csproj" "$work/Blocking/Blocking.csproj"
sed 's|^app.MapGet("/", .*|app.MapGet("/", () => Task.FromResult(1).Result);|' "$work/Shop.Web/Program.cs" > "$work/Blocking/Program.cs"
dotnet build "$work/Blocking" -nologo > "$work/log"
grep -q 'warning IOX0001' "$work/log" || { echo "ioxide: a handler that blocks is built without IOX0001"; cat "$work/log"; exit 1; }

cd "$work/Shop.Web/out"
ASPNETCORE_URLS=http://127.0.0.1:0 ./Shop.Web > "$work/log" 2>&1 &
server=$!
address=$(line 'listening on: http' | sed 's/.*listening on: //')
[[ $(curl -sf -m 20 "$address/") == "Hello from Ioxide" ]] || { echo "ioxide: / answered otherwise"; exit 1; }
curl -sf -m 20 "$address/live" > /dev/null
kill "$server"
wait "$server" || { echo "ioxide: it did not stop in order"; exit 1; }

server=
if grep -q '^ok *io_uring\|^limited *io_uring' <("$work/Shop.Echo/out/Shop.Echo" --ioxide-check || true); then
    "$work/Shop.Echo/out/Shop.Echo" 0 > "$work/log" 2>&1 &
    server=$!
    port=$(line '^listening on ' | sed 's/^listening on [0-9.]*:\([0-9]*\) .*/\1/')
    exec 3<> "/dev/tcp/127.0.0.1/$port"
    echo "there and back" >&3
    read -r -t 20 answer <&3
    [[ $answer == "there and back" ]] || { echo "ioxide-raw: it echoed '$answer'"; exit 1; }
    exec 3>&-
    kill "$server"
    wait "$server" || { echo "ioxide-raw: it did not stop in order"; exit 1; }
    server=
else
    echo "no rings here: ioxide-raw is built and not run"
fi

echo "both templates are sound"
