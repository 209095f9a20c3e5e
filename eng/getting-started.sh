#!/usr/bin/env bash
# Runs docs/getting-started.md as it stands: packs a copy of this tree into a folder, makes both programs from its packages, starts the
# web application, asks it, and starts it again under a socket that systemd's tool opened. Needs the .NET SDK, curl and NuGet's templates;
# takes one to three minutes. Nothing outside of a temporary folder is changed.
#
# A comment before a block of the page says what happens to it:
#   run            the commands run, one block after the other in one shell
#   save: FILE     the block becomes that file
#   serve          the command is started, and stays until the block marked `ask` was answered
#   activate       the command is started, asked and ended, where systemd-socket-activate is installed
# Blocks without one of these are for the reader alone. Ports of the page are replaced by free ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
trap 'rm -rf "$work"' EXIT

# What a fresh machine has: a clone, NuGet's settings, no packages of Ioxide in the cache.
mkdir -p "$work/home/ioxide" "$work/home/.nuget"
git ls-files -coz --exclude-standard | while IFS= read -r -d '' file; do
    [[ ! -e $file ]] || printf '%s\0' "$file"
done | tar --create --null --files-from=- | tar --extract --directory="$work/home/ioxide"
if [[ -d $HOME/.nuget/NuGet ]]; then
    cp -r "$HOME/.nuget/NuGet" "$work/home/.nuget/"
fi

free_port() {
    local port
    while port=$((20000 + RANDOM % 10000)); (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
        continue
    done
    echo "$port"
}
web=$(free_port) socket=$(free_port)

# The page as a script.
awk -v end=IOXIDE_END '
    /^<!-- (run|serve|ask|activate) -->$/ || /^<!-- save: / { mark = $2; file = $3; next }
    /^```/ && !inside {
        inside = 1
        if (mark == "save:") print "cat > " file " <<'"'"'" end "'"'"'"
        if (mark == "serve" || mark == "activate") printf mark " "
        next
    }
    /^```/ {
        if (mark == "save:") print end
        inside = 0; mark = ""
        next
    }
    inside && mark != ""
' docs/getting-started.md | sed "s/:5000/:$web/g; s/:8080/:$socket/g" > "$work/page.sh"
grep -q '^serve ' "$work/page.sh" && grep -q '^curl ' "$work/page.sh" && grep -q '^activate ' "$work/page.sh"

cat > "$work/run.sh" <<END
set -euo pipefail
server=
stop() { [[ -z \$server ]] || kill -TERM -- "-\$server" 2> /dev/null || true; }
trap stop EXIT

# Starts a server in a group of its own, so that what it starts ends with it.
start() { setsid "\$@" & server=\$!; }
end() {
    kill -TERM -- "-\$server"
    wait "\$server" || true
    server=
}
ask() { command curl --fail --silent --retry 120 --retry-delay 1 --retry-connrefused "\$@"; }

serve() { start "\$@"; }
curl() {
    local answer
    answer=\$(ask "\$@")
    [[ \$answer == "Hello World!" ]]
    echo "answered: Hello World!"
    end
}
activate() {
    if ! command -v systemd-socket-activate > /dev/null; then
        echo "not tried here, because it is not installed: \$*"
        return
    fi
    start "\$@"
    curl http://127.0.0.1:$socket/
}
END
cat "$work/page.sh" >> "$work/run.sh"

started=$SECONDS
HOME=$work/home NUGET_PACKAGES=$work/packages DOTNET_CLI_HOME=$work/home bash "$work/run.sh"
echo "docs/getting-started.md works word by word; it took $((SECONDS - started)) s"
