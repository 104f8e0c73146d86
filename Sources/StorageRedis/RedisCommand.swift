internal import CHiredis

/// One command with its arguments.
enum RedisCommand: Sendable {
    case plain([[UInt8]])
    /// A script by its digest, or by its text where the server does not know it any more.
    case script(Script, keys: [[UInt8]], arguments: [[UInt8]], byText: Bool)

    /// A command of words, with further arguments.
    init(_ words: String..., arguments: [[UInt8]] = []) {
        self = .plain(words.map { Array($0.utf8) } + arguments)
    }

    /// Bytes of all arguments, for bounds.
    var byteCount: Int {
        switch self {
        case .plain(let words): words.reduce(0) { $0 + $1.count + 16 }
        case .script(_, let keys, let arguments, _): (keys + arguments).reduce(128) { $0 + $1.count + 16 }
        }
    }

    /// True if a replica refuses it.
    var writes: Bool {
        switch self {
        case .plain(let words):
            words.first.map { ["SET", "GETDEL", "DEL"].contains(String(decoding: $0, as: UTF8.self)) } ?? false
        case .script(let script, _, _, _): script != .listIndex
        }
    }

    /// True if only a server that takes writes gives this answer to the command.
    ///
    /// A script that finds nothing to write is done by a replica as well.
    func isProofOfWriting(_ answer: RedisReply) -> Bool {
        switch self {
        case .plain, .script(.listIndex, _, _, _): writes
        case .script(.commit, _, _, _):
            if case .array(let parts) = answer { parts.first?.bytes == Array("done".utf8) } else { false }
        case .script: answer != .null && answer != .integer(0)
        }
    }

    /// The key that decides which node of a cluster does it; nil if any may.
    var key: [UInt8]? {
        switch self {
        case .plain(let words):
            words.count > 1 && Self.keyed.contains(words[0]) ? words[1] : nil
        case .script(_, let keys, _, _): keys.first
        }
    }

    private static let keyed = Set(["HGETALL", "HMGET", "SET", "GETDEL", "DEL"].map { Array($0.utf8) })

    /// The same command with the text of its script.
    var byText: RedisCommand {
        guard case .script(let script, let keys, let arguments, _) = self else { return self }
        return .script(script, keys: keys, arguments: arguments, byText: true)
    }

    /// The bytes of the command on the wire.
    ///
    /// - Parameter digests: The digests of the scripts, as the server told them.
    /// - Returns: The bytes; empty if there is no memory for them.
    func encoded(_ digests: [Script: [UInt8]]) -> [UInt8] {
        switch self {
        case .plain(let words): return Self.encode(words)
        case .script(let script, let keys, let arguments, let byText):
            let count = Array(String(keys.count).utf8)
            guard !byText, let digest = digests[script] else {
                return Self.encode([Array("EVAL".utf8), Array(script.text.utf8), count] + keys + arguments)
            }
            return Self.encode([Array("EVALSHA".utf8), digest, count] + keys + arguments)
        }
    }

    private static func encode(_ words: [[UInt8]]) -> [UInt8] {
        let flat = Array(words.joined()) + [0]
        let lengths = words.map(\.count)
        return flat.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return [] }
            var place = 0
            var pointers: [UnsafePointer<CChar>?] = lengths.map { length in
                defer { place += length }
                return base + place
            }
            var out: UnsafeMutablePointer<CChar>?
            let count = redisFormatCommandArgv(&out, Int32(words.count), &pointers, lengths)
            guard count > 0, let out else { return [] }
            defer { redisFreeCommand(out) }
            return Array(UnsafeRawBufferPointer(start: out, count: Int(count)))
        }
    }
}
