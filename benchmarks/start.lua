-- Begins a flow of CLIENT as a new browser, again and again.
wrk.method = "POST"
wrk.path = "/bff/" .. os.getenv("CLIENT") .. "/start"
wrk.body = "{}"
wrk.headers["X-CSRF"] = "1"
wrk.headers["Content-Type"] = "application/json"

dofile("benchmarks/counts.lua")
function init() wrong = 0 end
function response(status, headers, body)
    -- Other statuses are counted by wrk itself.
    if status == 200 and not body:find('"type":"continue"', 1, true) then wrong = wrong + 1 end
end
