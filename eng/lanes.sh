# Sourced by test.sh and .ci/run: runs commands beside each other, so many at once.
#
#   lanes=2 lane_logs=DIRECTORY       how many at once, and the folder for a NAME.log with what each printed
#   run_beside NAME COMMAND...        waits for a free lane and starts the command in it
#   run_alone NAME COMMAND...         waits until nothing runs, and for the command's end
#   finish_lanes                      waits until nothing runs
#   end_lanes                         asks what runs to end, with everything that it started, and starts nothing more
#
# Whenever a command has ended, `lane_ended NAME STATUS SECONDS` is called, which the caller defines. One call ends before the
# next begins, so that what it prints stays in one piece.
# shellcheck shell=bash disable=SC2154
declare -A lane_names=() lane_starts=()
lanes_closed=

run_beside() {
    local name=$1
    shift
    while [[ ${#lane_names[@]} -ge $lanes ]]; do
        await_lane
    done
    [[ -z $lanes_closed ]] || return 0
    rm -f "$lane_logs/$name.status"
    lane "$name" "$@" > "$lane_logs/$name.log" 2>&1 < /dev/null &
    lane_names[$!]=$name
    lane_starts[$!]=$SECONDS
}

run_alone() {
    finish_lanes
    run_beside "$@"
    finish_lanes
}

finish_lanes() {
    while [[ ${#lane_names[@]} -gt 0 ]]; do
        await_lane
    done
}

end_lanes() {
    local lane
    lanes_closed=1
    for lane in "${!lane_names[@]}"; do
        end_tree "$lane"
    done
}

# One command, in a shell of its own. How it ended is kept in a file: a `wait` that a signal interrupts may lose it.
lane() {
    local name=$1 status=0
    shift
    trap - EXIT INT TERM
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    echo "$status" > "$lane_logs/$name.status"
}

await_lane() {
    local lane name status seconds
    # Returns when a lane has ended, or a signal came.
    wait -n "${!lane_names[@]}" 2> /dev/null || true
    for lane in "${!lane_names[@]}"; do
        kill -0 "$lane" 2> /dev/null && continue
        name=${lane_names[$lane]}
        status=143
        seconds=$((SECONDS - lane_starts[$lane]))
        [[ ! -s $lane_logs/$name.status ]] || status=$(< "$lane_logs/$name.status")
        rm -f "$lane_logs/$name.status"
        unset "lane_names[$lane]" "lane_starts[$lane]"
        lane_ended "$name" "$status" "$seconds"
    done
}

end_tree() {
    local child
    local children=()
    read -ra children < <(cat "/proc/$1/task/"*/children 2> /dev/null | tr '\n' ' ') || true
    for child in "${children[@]}"; do
        end_tree "$child"
    done
    kill "$1" 2> /dev/null || true
}
