-- Sends the bearer tokens of the file $TOKENS, one a line, in turn.
local requests, last = {}, 0

function init()
    for token in io.lines(os.getenv("TOKENS")) do
        requests[#requests + 1] = wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. token })
    end
end

function request()
    last = last % #requests + 1
    return requests[last]
end
