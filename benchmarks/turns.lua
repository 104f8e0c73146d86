-- Turns of one browser a thread, in one flow; one connection a thread, so that answers come in the order of requests.
--
-- MODE=next answers a page of ten types, which comes again, MODE=davinci-next a form of twenty fields. The others are at a page that sends its user away: `page`
-- looks at it, `go` leaves by it too, `return` also comes back.
local mode = os.getenv("MODE")
local isDaVinci = mode == "davinci-next"
local isForm = isDaVinci or mode == "next"
local base = isDaVinci and "/bff/workforce/" or "/bff/standard/"
local beginning = isDaVinci and '{"acrValues":["Huge"]}' or '{"journey":"' .. (isForm and "Huge" or "Social") .. '"}'
local ten = '"values":{"IDToken2":"demo","IDToken3":"Ch4ng3it!","IDToken4":"dem","IDToken5":1,"IDToken6":"c-1",'
    .. '"IDToken7":{"value":"demo@example.com"},"IDToken8":{"value":true},"IDToken9":true,"IDToken10":0}'

local twenty = '"action":"submit","values":{"user.given":"Maria","user.family":"Example","user.nick":"mex",'
    .. '"user.street":"1 Long Street","user.city":"Zurich","user.postcode":"8000","user.company":"Example",'
    .. '"user.department":"Sales","user.password":"Ch4ng3it!","DROPDOWN.first":"one","RADIO.first":"two",'
    .. '"CHECKBOX.first":["one","three"],"user.phone":{"countryCode":"CH","phoneNumber":"446681800"},"terms":true,'
    .. '"interests":["four","of my own"]}'
-- What chooses the form, what fills it in, and what it is known by.
local choice = isDaVinci and '"action":"submit","values":{"part":"form"}' or '"values":{"IDToken1":7}'
local filled = isDaVinci and twenty or ten
local mark = isDaVinci and '"Twenty fields' or '"IDToken10"'

dofile("benchmarks/counts.lua")

function init()
    wrong, turns = 0, 0
    jar, flow, step, doing = {}, nil, nil, "start"
end

local function cookies()
    local pairs_ = {}
    for name, value in pairs(jar) do pairs_[#pairs_ + 1] = name .. "=" .. value end
    return table.concat(pairs_, "; ")
end

local function send(method, path, body)
    local headers = { ["Cookie"] = cookies() }
    if method == "POST" or doing == "page" then headers["X-CSRF"] = "1" end
    if body then headers["Content-Type"] = "application/json" end
    return wrk.format(method, path, headers, body)
end

function request()
    if doing == "start" then return send("POST", base .. "start", beginning) end
    if doing == "choose" or doing == "next" then
        local values = doing == "choose" and choice or filled
        return send("POST", base .. "next", string.format('{"flow":"%s","step":%s,%s}', flow, step, values))
    end
    if doing == "page" then return send("GET", base .. "flows/" .. flow) end
    if doing == "go" then return send("GET", go) end
    return send("GET", base .. "return?code=SplxlOBeZQQYbYS6WxSbIA&state=" .. state)
end

-- What comes after an answer that is right; nil for one that is not.
local function after(status, location, body)
    if doing == "go" then
        state = status == 303 and location:match("[?&]state=([^&]+)")
        return state and (mode == "go" and "page" or "return")
    end
    if doing == "return" then return status == 303 and location:find("#resume=", 1, true) and "page" end
    flow, step = body:match('"flow":"([^"]+)"'), body:match('"step":(%d+)')
    if status ~= 200 or not step then return nil end
    if doing == "start" then return isForm and "choose" or "page" end
    if doing == "choose" or doing == "next" then return body:find(mark, 1, true) and "next" end
    go = body:match('"go":"([^"]+)"')
    return go and (mode == "page" and "page" or "go")
end

function response(status, headers, body)
    local location = ""
    for name, value in pairs(headers) do
        if name:lower() == "set-cookie" then
            local pair, content = value:match("^([^=]+)=([^;]*)")
            jar[pair] = content ~= "" and content or nil
        elseif name:lower() == "location" then
            location = value
        end
    end
    local following = after(status, location, body)
    if doing == mode or isDaVinci and doing == "next" then turns = turns + 1 end
    if not following then
        -- Statuses from 400 are counted by wrk itself.
        if status < 400 then wrong = wrong + 1 end
        jar, following = {}, "start"
    end
    doing = following
end
