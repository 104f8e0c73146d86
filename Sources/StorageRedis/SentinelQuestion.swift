internal import Basics

/// The conversation with one sentinel: sign-in, then the address of the primary.
///
/// A state machine without I/O.
struct SentinelQuestion: NodeQuestion {
    private var bytes: [UInt8] = []
    private var isSigningIn: Bool

    init(_ sentinels: RedisSettings.Sentinels) {
        isSigningIn = sentinels.password != nil
        bytes = Self.signIn(sentinels)
        bytes += RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.master).encoded([:])
    }

    /// The bytes of the sign-in; empty if there is no password.
    static func signIn(_ sentinels: RedisSettings.Sentinels) -> [UInt8] {
        guard let password = sentinels.password else { return [] }
        let words = (sentinels.user.map { [$0] } ?? []) + [password.reveal()]
        return RedisCommand("AUTH", arguments: words.map { Array($0.utf8) }).encoded([:])
    }

    /// Takes the bytes to send; none are left then.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Takes an answer.
    ///
    /// - Returns: The address of the primary; nil while the next answer is due.
    /// - Throws: `.refused`, `.unknownMaster` or `.malformed`.
    mutating func answered(_ reply: RedisReply) throws(WireError) -> Endpoint? {
        if let kind = reply.errorKind { throw .refused(kind) }
        if isSigningIn {
            guard reply == .status("OK") else { throw .malformed }
            isSigningIn = false
            return nil
        }
        if reply == .null { throw .unknownMaster }
        guard case .array(let parts) = reply, parts.count == 2, let host = parts[0].bytes, let port = parts[1].bytes,
            let endpoint = Self.endpoint(host, port)
        else { throw .malformed }
        return endpoint
    }

    /// The address of two words; nil if they are none.
    static func endpoint(_ host: some Collection<UInt8>, _ port: some Collection<UInt8>) -> Endpoint? {
        // rule: an address of a sentinel is a host and a port
        guard 1...253 ~= host.count, host.allSatisfy({ $0.isLetterOrDigit || "-._:%".utf8.contains($0) }),
            1...5 ~= port.count, port.allSatisfy(\.isDigit),
            let number = UInt16(String(decoding: port, as: UTF8.self)), number > 0
        else { return nil }
        return .tcp(host: String(decoding: host, as: UTF8.self), port: number)
    }
}
