-- The load of the workload files-mixture: the 20 files of a page, one after the other. The URL's path is a slash and the ending of
-- their names. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local count = 0
local requests = {}

function init(args)
    for index = 1, 20 do
        requests[index] = wrk.format("GET", "/mix" .. index .. wrk.path:sub(2))
    end
end

function request()
    count = count % 20 + 1
    return requests[count]
end
