/// One answer of the server, in the second version of its protocol.
enum RedisReply: Equatable, Sendable {
    case string([UInt8])
    /// A line such as `OK`.
    case status(String)
    case integer(Int64)
    case null
    case array([RedisReply])
    /// A refused command, with the whole line.
    case error(String)

    /// The bytes of a string or a status; nil for every other kind.
    var bytes: [UInt8]? {
        switch self {
        case .string(let bytes): bytes
        case .status(let line): Array(line.utf8)
        case .integer, .null, .array, .error: nil
        }
    }

    /// The first word of an error, which is its kind: `NOSCRIPT`, `OOM`; nil for every other kind of answer.
    ///
    /// A script that may not use a command is `NOPERM`: the server calls it `ERR`, with one of two texts.
    ///
    /// A word that is no kind is `ERR`, so that a log line never has text of the server's choosing.
    var errorKind: String? {
        guard case .error(let line) = self else { return nil }
        let isScriptRefusal = ["ERR ACL failure in script", "ERR The user executing the script can't"].contains {
            line.hasPrefix($0)
        }
        if isScriptRefusal { return "NOPERM" }
        let word = line.prefix { $0 != " " }
        let isKind = 1...24 ~= word.utf8.count && word.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        return isKind ? String(word) : "ERR"
    }
}
