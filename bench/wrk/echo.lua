-- Warms for the workload 8gbit: 10 KB by POST, echoed. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local post

function init(args)
    post = wrk.format("POST", "/echo", { ["Content-Type"] = "application/octet-stream" }, string.rep("Ioxide echoes", 788):sub(1, 10240))
end

function request()
    return post
end
