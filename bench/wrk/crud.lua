-- The load of the workload crud: of 20 requests 14 read a row by its key (7 of them one of 1,000, which the application may have
-- in its cache), 2 read a list, 3 change a row, 1 puts one in.
-- Each thread walks the keys with a step of its own, so that every side is asked the same. Needs load.lua beside it.

local folder = debug.getinfo(1, "S").source:match("^@(.*/)") or "./"
dofile(folder .. "load.lua")

local count = 0
local json = { ["Content-Type"] = "application/json" }

function init(args)
end

function request()
    count = count + 1
    local turn = count % 20
    local id = count * 7919 % 100000 + 1
    if turn < 7 then
        return wrk.format("GET", "/crud/items/" .. id % 1000 + 1)
    elseif turn < 14 then
        return wrk.format("GET", "/crud/items/" .. id)
    elseif turn < 16 then
        return wrk.format("GET", "/crud/items?category=Category%20" .. id % 5 .. "&page=" .. id % 10)
    end

    -- The first 50,000 are left as they are: what is checked before a run lies there.
    id = 50000 + id % 50000 + 1
    local body = '{"price":' .. id % 1000 .. ',"quantity":' .. id % 100 .. '}'
    return wrk.format(turn < 19 and "PUT" or "POST", "/crud/items/" .. id, json, body)
end
