#!/usr/bin/env bash
# Installs by Debian package name what the tests need; with --bench also what the benchmarks need, with --ci what .ci/run
# checks scripts by. Asks the package manager only if something is missing. Who is not root is told what to install, and
# the caller goes on.
set -euo pipefail

# package:what shows that it is there (a command, or a file; a pattern fits any version).
needed=(curl:curl openssl:openssl util-linux:setpriv "postgresql:/usr/lib/postgresql/*/bin/initdb"
    iproute2:ip nftables:nft
    nginx-light:nginx haproxy:haproxy chromium:chromium pgbouncer:pgbouncer prometheus:promtool
    nghttp2-client:h2load "libnghttp2-14:/usr/lib/*/libnghttp2.so.14" nodejs:node
    python3-h2:/usr/lib/python3/dist-packages/h2/__init__.py python3-httpx:/usr/lib/python3/dist-packages/httpx/__init__.py)
if [[ ${1:-} == --bench ]]; then
    needed+=(
        wrk:wrk strace:strace
        gcc:gcc libc6-dev:/usr/include/stdio.h liburing-dev:/usr/include/liburing.h
    )
elif [[ ${1:-} == --ci ]]; then
    needed+=(shellcheck:shellcheck gcc:gcc libc6-dev:/usr/include/stdio.h zlib1g-dev:/usr/include/zlib.h)
elif [[ $# -gt 0 ]]; then
    echo "usage: eng/install.sh [--bench | --ci]" >&2
    exit 2
fi

PATH=$PATH:/usr/sbin:/sbin
missing=()
for entry in "${needed[@]}"; do
    sign=${entry#*:}
    if [[ $sign == /* ]]; then
        compgen -G "$sign" > /dev/null || missing+=("${entry%%:*}")
    else
        command -v "$sign" > /dev/null || missing+=("${entry%%:*}")
    fi
done
if [[ ${#missing[@]} -eq 0 ]]; then
    exit 0
fi

if [[ $EUID -ne 0 ]] || ! command -v apt-get > /dev/null; then
    echo "eng/install.sh: missing: ${missing[*]}. On Debian, as root: apt-get install ${missing[*]}" >&2
    exit 0
fi

# nginx, HAProxy, PgBouncer, Prometheus and PostgreSQL would start with the machine's own configuration; the benchmarks and the tests start them with theirs.
policy=/usr/sbin/policy-rc.d
mark='# eng/install.sh: nothing is started.'
if [[ ! -e $policy ]] || grep -qxF "$mark" "$policy"; then
    printf '#!/bin/sh\n%s\nexit 101\n' "$mark" > "$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
# PostgreSQL's package would also make a cluster of its own; each test run makes one.
cluster=/etc/postgresql-common/createcluster.conf
if [[ " ${missing[*]} " == *" postgresql "* && ! -e $cluster ]]; then
    mkdir -p "${cluster%/*}"
    echo 'create_main_cluster = false' > "$cluster"
fi
export DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
echo "eng/install.sh: installed ${missing[*]}"
