-- The load of the workload json-sizes: lists of 1 to 50 items in turn, each with its own factor. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local count = 0
local requests = {}

function init(args)
    for index, items in ipairs({ 1, 5, 10, 15, 25, 40, 50 }) do
        requests[index] = wrk.format("GET", string.format("/json/%d?m=%d", items, index))
    end
end

function request()
    count = count + 1
    return requests[count % #requests + 1]
end
