-- One poll again and again, of a page that may not be polled yet: POLL is the body, POLL_COOKIE the session.
wrk.method = "POST"
wrk.body = os.getenv("POLL")
wrk.headers["X-CSRF"] = "1"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Cookie"] = os.getenv("POLL_COOKIE")

dofile("benchmarks/counts.lua")
function init() wrong = 0 end
function response(status, headers, body)
    -- Other statuses are counted by wrk itself.
    if status == 200 and headers["Retry-After"] == nil then wrong = wrong + 1 end
end
