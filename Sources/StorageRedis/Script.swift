/// The scripts that run in the server: each is atomic, and touches keys of one slot.
///
/// Times are milliseconds since 1970 by the clock of the caller. The server's own expiry only frees memory: it counts from
/// when the caller wrote, so that a server with another clock removes nothing early.
enum Script: CaseIterable, Hashable, Sendable {
    case commit, claim, renew, release, addToIndex, enter, removeFromIndex, listIndex

    /// The text that the server runs.
    var text: String {
        switch self {
        case .commit: Self.commitText
        case .claim: Self.claimText
        case .renew: Self.renewText
        case .release: Self.releaseText
        case .addToIndex: Self.addText
        case .enter: Self.enterText
        case .removeFromIndex: "redis.call('ZREM', KEYS[1], ARGV[1]) redis.call('ZREM', KEYS[2], ARGV[1]) return 1"
        case .listIndex: Self.listText
        }
    }

    // A session is one hash: `e` its end, `l` the last revision, `s` the bytes of its fields, `x` the first end of a field;
    // `r:NAME` the revision, end and size of a field, `v:NAME` its value. An ended session has `t` alone, the end of its mark.
    //
    // Revisions are never behind the clock: a replica that takes over without the last writes would else give their
    // revisions to other values, and whoever has read a lost one would overwrite what it has not seen.
    //
    // A script that was refused in its middle has already written, so it asks for all its rights before its first write.
    //
    // KEYS: the session. ARGV: now, mode, end, bytes allowed, end of the mark, command and channel of the message, the
    // number of conditions, then name and revision (`-`: absent) of each, then name, kind, end and value of each write.
    private static let commitText = """
        local key, now, mode = KEYS[1], tonumber(ARGV[1]), ARGV[2]
        local never, longest = 9007199254740991, 1000000000000
        local may = redis.acl_check_cmd
        if not (may('HSET', key, 'e', '') and may('HDEL', key, 'e') and may('DEL', key) and may('PEXPIRE', key, '1')
            and may('PUBLISH', ARGV[7], '')) then return redis.error_reply('-NOPERM a right is missing') end
        local function text(n) return string.format('%.0f', n) end
        local meta = redis.call('HMGET', key, 'e', 'l', 's', 'x', 't')
        local lives = meta[1] and tonumber(meta[1]) > now
        if mode == 'c' then
            if lives then return {'conflict', 0} end
            if meta[5] and tonumber(meta[5]) > now then return {'gone'} end
        elseif not lives then
            return {'gone'}
        end
        local function row(name)
            if not lives then return nil end
            local found = redis.call('HGET', key, 'r:' .. name)
            if not found then return nil end
            local revision, ends, size = string.match(found, '^(%d+) (%-?%d+) (%d+)$')
            if tonumber(ends) <= now then return nil end
            return revision, tonumber(size), tonumber(ends)
        end
        local place = 9
        for i = 1, tonumber(ARGV[8]) do
            local revision = row(ARGV[place])
            local wanted = ARGV[place + 1]
            if (wanted == '-' and revision) or (wanted ~= '-' and revision ~= wanted) then return {'conflict', i} end
            place = place + 2
        end
        local function tell() if ARGV[6] ~= '' then redis.call(ARGV[6], ARGV[7], '') end end
        if mode == 'e' then
            redis.call('DEL', key)
            redis.call('HSET', key, 't', ARGV[5])
            redis.call('PEXPIRE', key, text(math.max(1, tonumber(ARGV[5]) - now)))
            tell()
            return {'done', '0'}
        end
        local last, size, first = math.max(now, 0), 0, never
        local expired = {}
        if lives then
            last, size, first = math.max(last, tonumber(meta[2])), tonumber(meta[3]), tonumber(meta[4])
            if first <= now then
                first = never
                for _, field in ipairs(redis.call('HKEYS', key)) do
                    if string.sub(field, 1, 2) == 'r:' then
                        local _, ends, bytes = string.match(redis.call('HGET', key, field), '^(%d+) (%-?%d+) (%d+)$')
                        if tonumber(ends) > now then
                            first = math.min(first, tonumber(ends))
                        else
                            expired[#expired + 1] = string.sub(field, 3)
                            size = size - tonumber(bytes)
                        end
                    end
                end
            end
        end
        local before = size
        for i = place, #ARGV, 4 do
            local _, bytes = row(ARGV[i])
            size = size - (bytes or 0)
            if ARGV[i + 1] == 's' then size = size + #ARGV[i] + #ARGV[i + 3] + 22 end
        end
        if size > tonumber(ARGV[4]) and size > before then return {'full'} end
        if not lives and (meta[1] or meta[5]) then redis.call('DEL', key) end
        for _, name in ipairs(expired) do redis.call('HDEL', key, 'r:' .. name, 'v:' .. name) end
        local started = last
        for i = place, #ARGV, 4 do
            local name = ARGV[i]
            if ARGV[i + 1] == 's' then
                last = last + 1
                local bytes = #name + #ARGV[i + 3] + 22
                redis.call('HSET', key, 'r:' .. name, text(last) .. ' ' .. ARGV[i + 2] .. ' ' .. text(bytes),
                    'v:' .. name, ARGV[i + 3])
                first = math.min(first, tonumber(ARGV[i + 2]))
            else
                redis.call('HDEL', key, 'r:' .. name, 'v:' .. name)
            end
        end
        local ends = ARGV[3]
        if ends == '' then ends = meta[1] end
        redis.call('HSET', key, 'e', ends, 'l', text(last), 's', text(size), 'x', text(first))
        local life = tonumber(ends) - now
        if life > 0 then redis.call('PEXPIRE', key, text(math.min(life, longest))) else redis.call('DEL', key) end
        tell()
        return {'done', text(started)}
        """

    // A lease is its fence, end and owner. The owner of a claim that is sent twice, or again because its answer was lost, gets
    // the fence of the first time; one that the network delivers late does not shorten the lease. The time keeps fences
    // from starting at 1 again in a server that lost its data.
    //
    // KEYS: the lease, the last fence. ARGV: now, end, owner.
    private static let claimText = """
        local now = tonumber(ARGV[1])
        local held, fence, last = redis.call('GET', KEYS[1]), nil, ARGV[2]
        if held then
            local known, ends, owner = string.match(held, '^(%d+) (%-?%d+) (.+)$')
            if owner == ARGV[3] then
                fence = tonumber(known)
                if tonumber(ends) > tonumber(last) then last = ends end
            elseif tonumber(ends) > now then
                return false
            end
        end
        local digits
        if fence then
            digits = string.format('%.0f', fence)
        else
            fence = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, now)
            digits = string.format('%.0f', fence)
            redis.call('SET', KEYS[2], digits)
        end
        local life = math.min(tonumber(last) - now, 1000000000000)
        if life > 0 then
            local value = digits .. ' ' .. last .. ' ' .. ARGV[3]
            redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', life))
        end
        return fence
        """

    // KEYS: the lease. ARGV: now, end, fence, owner.
    private static let renewText = """
        local now = tonumber(ARGV[1])
        local held = redis.call('GET', KEYS[1])
        if not held then return 0 end
        local fence, ends, owner = string.match(held, '^(%d+) (%-?%d+) (.+)$')
        if fence ~= ARGV[3] or owner ~= ARGV[4] or tonumber(ends) <= now then return 0 end
        local life = math.min(tonumber(ARGV[2]) - now, 1000000000000)
        if life > 0 then
            local value = fence .. ' ' .. ARGV[2] .. ' ' .. owner
            redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', life))
        else
            redis.call('DEL', KEYS[1])
        end
        return 1
        """

    // KEYS: the lease. ARGV: fence, owner, command and channel of the message.
    private static let releaseText = """
        local held = redis.call('GET', KEYS[1])
        if not held then return 0 end
        local fence, owner = string.match(held, '^(%d+) %-?%d+ (.+)$')
        if fence ~= ARGV[1] or owner ~= ARGV[2] then return 0 end
        if not redis.acl_check_cmd('PUBLISH', ARGV[4], '') then return redis.error_reply('-NOPERM a right is missing') end
        redis.call('DEL', KEYS[1])
        redis.call(ARGV[3], ARGV[4], '')
        return 1
        """

    // Adds a session to the set of the sessions in the order in which they came and to that by their ends; false if they are
    // full. ARGV: now, session, end, entries allowed.
    private static let addFunction = """
        local now = tonumber(ARGV[1])
        for _, name in ipairs({'ZSCORE', 'ZCARD', 'ZREVRANGE', 'ZREM', 'ZADD', 'PEXPIRE'}) do
            if not redis.acl_check_cmd(name, KEYS[1], '0', '0') then return redis.error_reply('-NOPERM a right is missing') end
        end
        local function add(order, ends)
            for _, session in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', ARGV[1])) do
                redis.call('ZREM', order, session)
                redis.call('ZREM', ends, session)
            end
            if not redis.call('ZSCORE', order, ARGV[2]) then
                if redis.call('ZCARD', order) >= tonumber(ARGV[4]) then return false end
                local latest = redis.call('ZREVRANGE', order, 0, 0, 'WITHSCORES')
                redis.call('ZADD', order, string.format('%.0f', tonumber(latest[2] or '0') + 1), ARGV[2])
            end
            redis.call('ZADD', ends, ARGV[3], ARGV[2])
            local furthest = redis.call('ZREVRANGE', ends, 0, 0, 'WITHSCORES')
            local life = string.format('%.0f', math.max(1, math.min(tonumber(furthest[2]) - now, 1000000000000)))
            redis.call('PEXPIRE', order, life)
            redis.call('PEXPIRE', ends, life)
            return true
        end
        """

    // KEYS: the two sets.
    private static let addText = """
        \(addFunction)
        if add(KEYS[1], KEYS[2]) then return 1 end
        return 0
        """

    // The keys lie in several slots, so this is not for a cluster. Returns the fields of each mark.
    //
    // KEYS: the two sets of each index key, then the marks. ARGV: as `addFunction`, the number of index keys, then the fields
    // of a mark.
    private static let enterText = """
        \(addFunction)
        local marks = 2 * tonumber(ARGV[5])
        if not redis.acl_check_cmd('HMGET', KEYS[1], 'e') then return redis.error_reply('-NOPERM a right is missing') end
        for i = 1, marks, 2 do
            if not add(KEYS[i], KEYS[i + 1]) then return 0 end
        end
        local found = {}
        for i = marks + 1, #KEYS do found[#found + 1] = redis.call('HMGET', KEYS[i], unpack(ARGV, 6)) end
        return found
        """

    // KEYS: the two sets. ARGV: now.
    private static let listText = """
        local lives, listed = {}, {}
        for _, session in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf')) do lives[session] = true end
        for _, session in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
            if lives[session] then listed[#listed + 1] = session end
        end
        return listed
        """
}
