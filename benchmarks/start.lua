-- Begins a flow as a new browser, again and again.
wrk.method = "POST"
wrk.path = "/bff/standard/start"
wrk.body = "{}"
wrk.headers["X-CSRF"] = "1"
wrk.headers["Content-Type"] = "application/json"

local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() wrong = 0 end
function response(status, headers, body)
    -- Other statuses are counted by wrk itself.
    if status == 200 and not body:find('"type":"continue"', 1, true) then wrong = wrong + 1 end
end
function done()
    local all = 0
    for _, thread in ipairs(threads) do all = all + thread:get("wrong") end
    print("wrong " .. all)
end
