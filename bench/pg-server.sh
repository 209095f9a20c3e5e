# shellcheck shell=bash
# Sourced by bench/pg.sh: a private PostgreSQL of the installed binaries, with the tables of bench/pg-fill.sql. It runs on the
# CPUs of $server_cpus, on 127.0.0.1 and on a unix socket, as another user where the caller is root, and ends with the caller.
# Gives: pg_port, pg_socket (folder), pg_pid, pg_bin (folder of the binaries).

pg_fill=$(dirname "${BASH_SOURCE[0]}")/pg-fill.sql

pg_find() {
    local folder
    for folder in $(compgen -G "/usr/lib/postgresql/*/bin" | sort -t/ -k5 -rn) "$(dirname "$(command -v initdb || echo /none)")"; do
        if [[ -x $folder/initdb && -x $folder/postgres && -x $folder/psql ]]; then
            pg_bin=$folder
            return
        fi
    done
    echo "PostgreSQL's server binaries are not installed (on Debian: apt-get install postgresql)." >&2
    exit 4
}

pg_start() {
    pg_find
    # The server refuses to run as root.
    local as_user=()
    if [[ $EUID -eq 0 ]]; then
        local user=postgres
        getent passwd "$user" > /dev/null || user=nobody
        as_user=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups --)
    fi

    pg_socket=$(mktemp -d /tmp/ioxide-pgbench-XXXXXX)
    trap pg_stop EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [[ $EUID -ne 0 ]] || chown "$user" "$pg_socket"
    chmod 711 "$pg_socket"
    (cd / && "${as_user[@]}" "$pg_bin/initdb" -D "$pg_socket/data" -U postgres -A trust -E UTF8 --locale=C --no-sync --no-instructions > /dev/null)
    cat >> "$pg_socket/data/postgresql.conf" << EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$pg_socket'
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
shared_buffers = 256MB
max_wal_size = 2GB
jit = off
EOF

    for _ in 1 2 3 4 5; do
        pg_port=$((20000 + RANDOM % 12000))
        # A session of its own: what ends the caller's terminal must not end the server before its clients.
        (cd / && exec setsid "${as_user[@]}" taskset -c "${server_cpus:-0}" "$pg_bin/postgres" -D "$pg_socket/data" -p "$pg_port") \
            > "$pg_socket/log" 2>&1 < /dev/null &
        # From here on whatever ends this script ends the server too. Each command in that line replaces the one before, so that this is the server's.
        pg_pid=$!
        local wait_count
        for ((wait_count = 0; wait_count < 300; wait_count++)); do
            if "$pg_bin/pg_isready" -q -h "$pg_socket" -p "$pg_port"; then
                "$pg_bin/psql" -X -q -h "$pg_socket" -p "$pg_port" -U postgres -d postgres -c 'create database bench' > /dev/null
                "$pg_bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$pg_socket" -p "$pg_port" -U postgres -d bench -f "$pg_fill" > /dev/null
                return
            fi
            kill -0 "$pg_pid" 2> /dev/null || break
            sleep 0.1
        done
    done
    cat "$pg_socket/log" >&2
    exit 4
}

pg_stop() {
    if [[ -n ${pg_pid:-} ]]; then
        # Again and again: a server that has only just been started does not heed the first.
        while kill -QUIT "$pg_pid" 2> /dev/null; do sleep 0.05; done
    fi
    rm -rf "$pg_socket"
}
