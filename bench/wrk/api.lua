-- The load of the workloads api-4 and api-16: of 8 requests 3 are sums, 3 lists of items, 2 ask for 50 rows; one in five of the
-- whole load closes its connection, so a connection serves five on average. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local count = 0
local paths = {
    "/baseline?a=13&b=42", "/json/50?m=3", "/async-db?min=10&max=50", "/baseline?a=13&b=42",
    "/json/50?m=3", "/baseline?a=13&b=42", "/json/50?m=3", "/async-db?min=10&max=50",
}
local keep, close = {}, {}

function init(args)
    for index, path in ipairs(paths) do
        keep[index] = wrk.format("GET", path)
        close[index] = wrk.format("GET", path, { Connection = "close" })
    end
end

function request()
    count = count + 1
    return (count % 5 == 0 and close or keep)[count % #paths + 1]
end
