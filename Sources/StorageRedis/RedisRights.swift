/// The rights of the server's access list that a store needs.
enum RedisRights {
    /// The part of a command that the access list checks besides its name.
    private enum Place: String {
        case key = "k"
        case channel = "c"
        case none = "-"
    }

    /// The commands of the store and of its scripts; a further word follows `|`.
    static let commands = plain + channels + keyed

    private static let plain = ["select", "echo", "ping", "eval", "evalsha", "script|load"]
    private static let channels = ["subscribe", "unsubscribe", "publish"]
    private static let keyed = [
        "hmget", "hgetall", "set", "getdel", "del", "hget", "hkeys", "hset", "hdel", "pexpire", "get", "zadd", "zrem",
        "zcard", "zscore", "zrange", "zrangebyscore", "zrevrange",
    ]
    /// Of use for `check --live`, and not needed.
    private static let info = "info"

    /// The commands that the nodes of a cluster are asked besides.
    static let cluster = ["cluster|info", "cluster|slots", "asking"]

    /// All commands that the server is asked for.
    private static func asked(_ isCluster: Bool) -> [(String, Place)] {
        (plain + (isCluster ? cluster : []) + [info]).map { ($0, .none) } + channels.map { ($0, .channel) }
            + keyed.map { ($0, .key) }
    }

    // ARGV: a key and channel, then name and place of each command. Returns the names that are refused. The key is no `KEYS`,
    // for which the server would refuse the whole script.
    private static let text = """
        local refused = {}
        for i = 2, #ARGV, 2 do
            local words = {}
            for word in string.gmatch(ARGV[i], '[^|]+') do words[#words + 1] = word end
            local argument, count = ARGV[1], 3
            if ARGV[i + 1] == '-' then argument = '0' end
            if ARGV[i + 1] == 'c' then count = 1 end
            for _ = 1, count do words[#words + 1] = argument end
            local known, may = pcall(redis.acl_check_cmd, unpack(words))
            if not known or not may then refused[#refused + 1] = ARGV[i] end
        end
        return refused
        """

    /// The command that asks the server which rights of its user are missing.
    static func question(_ prefix: String, isCluster: Bool) -> RedisCommand {
        let name = Array("\(prefix):check".utf8)
        let list = asked(isCluster).flatMap { [Array($0.0.utf8), Array($0.1.rawValue.utf8)] }
        return RedisCommand("EVAL", arguments: [Array(text.utf8), Array("0".utf8), name] + list)
    }

    /// The missing rights in an answer, as the access list writes them, and if the user may ask for the state of the memory.
    ///
    /// - Returns: Nil for an answer of another kind.
    static func missing(_ reply: RedisReply, _ prefix: String) -> (rights: [String], mayInfo: Bool)? {
        if reply.errorKind == "NOPERM" { return (["+eval"], false) }
        guard case .array(let parts) = reply else { return nil }
        let refused = Set(parts.compactMap { $0.bytes.map { String(decoding: $0, as: UTF8.self) } })
        var rights = (plain + cluster + channels).filter(refused.contains).map { "+\($0)" }
        if ["subscribe", "publish"].allSatisfy(refused.contains) { rights.append("&\(prefix):*") }
        // Without the right for the keys, each command on one is refused.
        if keyed.allSatisfy(refused.contains) {
            rights.append("~\(prefix):*")
        } else {
            rights += keyed.filter(refused.contains).map { "+\($0)" }
        }
        return (rights, !refused.contains(info))
    }
}
