-- For the other scripts: what each thread counts in `wrong`, and in `turns` where it has them, is added up and printed.
local threads = {}
function setup(thread) table.insert(threads, thread) end

function done()
    local wrong, turns = 0, nil
    for _, thread in ipairs(threads) do
        wrong = wrong + thread:get("wrong")
        local own = thread:get("turns")
        if own then turns = (turns or 0) + own end
    end
    if turns then print("turns " .. turns) end
    print("wrong " .. wrong)
end
