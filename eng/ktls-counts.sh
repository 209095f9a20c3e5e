#!/usr/bin/env bash
# Counts what TLS costs a server, in a virtual machine whose kernel has kTLS (eng/vm): system calls, calls of libcrypto and libssl, records that
# the kernel makes. Three loads on one connection each, with the kernel's TLS off and on; both are run twice, small and large, and the difference is
# divided, so that the start, the handshake and what the tools themselves do are not in it.
#
#   eng/ktls-counts.sh [KERNEL]      a kernel as eng/vm/run names it; 6.12 unless told. Needs strace, nm and curl here.
#
# A line for each load and each count, per request. The emulated machine says nothing about speed. KINDS="user kernel stock" are the servers: the
# ring with each of the two, and Kestrel's sockets with SslStream. TIMEOUT=SECONDS gives it more than 1500.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# awk reads and writes numbers by the locale, and not every locale has a decimal point.
export LC_ALL=C
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
artifacts=$(realpath -m "${ARTIFACTS:-artifacts}")
[[ -n ${NOBUILD:-} ]] || dotnet build bench/Ioxide.LoadHost -c Release -v quiet "-p:ArtifactsPath=$artifacts"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$artifacts/bin/Ioxide.LoadHost/release/." "$folder"
mkdir "$folder/files"
head -c $((2 * 1024 * 1024)) /dev/urandom > "$folder/files/large.bin"

# NAME LIBRARY OFFSET: the functions of OpenSSL that are called from outside. In these libraries a function's address is its place in the file.
probe() { # LIBRARY FUNCTION...
    local library=$1 path
    shift
    path=$(ldconfig -p | awk -v name="$library" '$1 == name && /x86-64/ && !seen++ { print $NF }')
    for name in "$@"; do
        nm -D --defined-only "$path" | awk -v name="$name" -v library="$library" \
            '$3 ~ "^" name "(@|$)" && !seen++ { printf "%s %s 0x%s\n", name, library, $1 }'
    done
}
{
    probe libcrypto.so.3 EVP_CipherInit_ex EVP_CipherUpdate EVP_CipherFinal_ex EVP_CIPHER_CTX_ctrl BIO_read BIO_write
    probe libssl.so.3 SSL_read SSL_write
} > "$folder/probes"

cat > "$folder/count.sh" << 'GUEST'
#!/bin/bash
# In the guest: count.sh KIND... Prints KIND LOAD WHAT COUNT, COUNT of the large run less the small one.
tracing=/sys/kernel/tracing
# The timers' calls, the JIT's and the collector's are the machine's, which is slow, and not the request's.
shown='^(EVP_|BIO_|SSL_|kernel_records|sys_(io_uring_enter|setsockopt|epoll_wait|sendmsg|sendto|recvmsg|recvfrom|futex|write|read)$)'
export DOTNET_TieredCompilation=0 DOTNET_EnableWriteXorExecute=0
# Where handlers run is not learned from the times of this machine.
export Ioxide__ApplicationScheduling=Inline
mount -t sysfs none /sys 2> /dev/null
mount -t tracefs none $tracing 2> /dev/null
[[ -e $tracing/uprobe_events ]] || { echo "this kernel has no uprobes"; exit 1; }
echo 'p:records tls_push_record' > $tracing/kprobe_events 2> /dev/null && echo 1 > $tracing/events/kprobes/records/enable

hits() { # prints NAME HITS of all probes
    awk '{ print $(NF - 1), $NF }' $tracing/uprobe_profile
    awk '{ print "kernel_records", $(NF - 1) }' $tracing/kprobe_profile 2> /dev/null
}

client() { # CURL-ARGUMENT...: with libraries of its own, because probes count every process that has the file
    LD_LIBRARY_PATH=/client curl --http1.1 -k -s -f -o /dev/null "$@" || echo "curl failed: $?"
}

measure() { # FILE CURL-ARGUMENT...: counts of one run
    local file=$1
    shift
    hits > /tmp/before
    strace -c -f -q -p "$pid" -o /tmp/strace &
    local tracer=$!
    until grep -q "TracerPid:[[:space:]]*[1-9]" "/proc/$pid/status"; do sleep 0.1; done
    sleep 3
    client "$@"
    kill -INT $tracer
    wait $tracer
    hits > /tmp/after
    awk 'NR == FNR { before[$1] = $2; next } { print $1, $2 - before[$1] }' /tmp/before /tmp/after > "$file"
    awk '$1 ~ /^[0-9.]+$/ && $NF != "total" { print "sys_" $NF, $4 }' /tmp/strace >> "$file"
}

load() { # KIND LOAD SMALL LARGE URL CURL-ARGUMENT...
    local kind=$1 name=$2 small=$3 large=$4 url=$5
    shift 5
    client "$url&[1-$small]" "$@"
    measure /tmp/small "$url&[1-$small]" "$@"
    measure /tmp/large "$url&[1-$large]" "$@"
    awk -v kind="$kind" -v name="$name" -v shown="$shown" -v count=$((large - small)) '
        NR == FNR { small[$1] = $2; next }
        { each = ($2 - small[$1]) / count; if ($1 ~ shown && each >= 0.02) printf "%s %s %s %.2f\n", kind, name, $1, each }' /tmp/small /tmp/large
}

serve() { # KIND ARGUMENT...
    local kind=$1
    shift
    dotnet Ioxide.LoadHost.dll --port 5000 --https --files files --files-by shortcircuit "$@" > /tmp/host.log 2>&1 &
    pid=$!
    until curl -k -s -f -o /dev/null https://127.0.0.1:5001/json; do
        kill -0 $pid || { cat /tmp/host.log; exit 1; }
        sleep 1
    done
    if [[ ! -e /tmp/probed ]]; then
        mkdir /client
        while read -r function library offset; do
            path=$(awk -v library="$library" 'index($NF, library) { print $NF; exit }' /proc/$pid/maps)
            cp -n "$path" /client
            [[ -z $path ]] || echo "p:$function $path:$offset" >> $tracing/uprobe_events
        done < probes
        echo 1 > $tracing/events/uprobes/enable
        touch /tmp/probed
    fi
    load "$kind" json 20 120 "https://127.0.0.1:5001/json?a"
    load "$kind" download 2 10 "https://127.0.0.1:5001/large.bin?a"
    load "$kind" upload 2 6 "https://127.0.0.1:5001/upload?a" -H Expect: --data-binary @files/large.bin
    kill $pid
    wait $pid
}

for kind in "$@"; do
    case $kind in
        user) serve user --transport ioxide --reactors 1 --ioxide-tls --kernel-tls Never ;;
        kernel) serve kernel --transport ioxide --reactors 1 --ioxide-tls --kernel-tls Require ;;
        *) serve "$kind" --transport sockets ;;
    esac
done
GUEST
chmod +x "$folder/count.sh"
read -ra kinds <<< "${KINDS:-user kernel stock}"
eng/vm/run --kernel "${1:-6.12}" --timeout "${TIMEOUT:-1500}" --with strace --with curl -- "$folder" ./count.sh "${kinds[@]}"
