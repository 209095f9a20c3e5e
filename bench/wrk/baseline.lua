-- The load of the workload baseline: sums by GET and by POST, one after the other. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local count = 0
local get, post

function init(args)
    get = wrk.format("GET", "/baseline?a=13&b=42")
    post = wrk.format("POST", "/baseline?a=13&b=42", { ["Content-Type"] = "text/plain" }, "20")
end

function request()
    count = count + 1
    return count % 2 == 0 and post or get
end
