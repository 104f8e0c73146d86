-- Turns of start and next, each a new browser; one connection a thread, so that answers come in the order of requests.
-- MODE=success signs in; MODE=failure answers with a user that does not exist, which takes one call to the provider.
local user, kind = "demo", "success"
if os.getenv("MODE") == "failure" then user, kind = "nobody", "failure" end

dofile("benchmarks/counts.lua")

function init()
    wrong, turns = 0, 0
    flow, step, cookie = nil, nil, nil
end

function request()
    local headers = { ["X-CSRF"] = "1", ["Content-Type"] = "application/json" }
    if flow == nil then return wrk.format("POST", "/bff/standard/start", headers, "{}") end
    headers["Cookie"] = cookie
    local body = string.format(
        '{"flow":"%s","step":%s,"values":{"IDToken1":"%s","IDToken2":"Ch4ng3it!"}}', flow, step, user)
    return wrk.format("POST", "/bff/standard/next", headers, body)
end

function response(status, headers, body)
    if flow == nil then
        flow, step = body:match('"flow":"([^"]+)"'), body:match('"step":(%d+)')
        for name, value in pairs(headers) do
            if name:lower() == "set-cookie" then cookie = value:match("^[^;]+") end
        end
        if status ~= 200 or step == nil or cookie == nil then
            flow = nil
            -- Other statuses are counted by wrk itself.
            if status == 200 then wrong = wrong + 1 end
        end
    else
        if status == 200 and not body:find('"type":"' .. kind .. '"', 1, true) then wrong = wrong + 1 end
        turns = turns + 1
        flow, step, cookie = nil, nil, nil
    end
end
