-- The load of every wrk workload: wrk ... -s load.lua URL -- DEPTH CLOSE_EVERY
--   DEPTH        requests a batch; above 1 they are pipelined
--   CLOSE_EVERY  above 1, each so many requests of the thread one asks the server to close its connection
-- Without either, no request function is defined: wrk then sends one prepared request, which costs it the least.

function init(args)
    local depth = tonumber(args[1] or "1")
    local close_every = tonumber(args[2] or "0")
    if depth > 1 then
        local batch = string.rep(wrk.format(), depth)
        request = function() return batch end
    elseif close_every > 1 then
        local keep = wrk.format()
        wrk.headers["Connection"] = "close"
        local close = wrk.format()
        local count = 0
        request = function()
            count = count + 1
            return count % close_every == 0 and close or keep
        end
    end
end

-- One line that a program can read; durations in microseconds.
function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        "RESULT requests=%d duration=%d bytes=%d connect=%d read=%d write=%d status=%d timeout=%d " ..
        "p50=%d p90=%d p99=%d p999=%d mean=%.1f\n",
        summary.requests, summary.duration, summary.bytes,
        errors.connect, errors.read, errors.write, errors.status, errors.timeout,
        latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9), latency.mean))
end
