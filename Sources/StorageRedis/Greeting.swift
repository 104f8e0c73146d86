internal import Basics

/// The commands that begin a connection: sign-in, choice of the database, role, scripts.
struct Greeting {
    private enum Step {
        case accepted
        case primary
        case digest(Script)
    }

    /// The bytes of all its commands, until they are taken; the server answers them in this order.
    private var bytes: [UInt8]
    /// The digests of the scripts, as far as the server told them.
    private(set) var digests: [Script: [UInt8]] = [:]
    private var steps: [(step: Step, right: String)] = []

    var isDone: Bool { steps.isEmpty }

    /// Makes the greeting of one connection.
    init(_ settings: RedisSettings, scripts: [Script]) {
        var bytes: [UInt8] = []
        var steps: [(step: Step, right: String)] = []
        func add(_ command: RedisCommand, _ step: Step, _ right: String) {
            bytes += command.encoded([:])
            steps.append((step, right))
        }
        if let signIn = Self.signIn(settings) { add(signIn, .accepted, "+auth") }
        // Also without another database: a server that wants a sign-in says so now.
        add(RedisCommand("SELECT", "\(settings.database)"), .accepted, "+select")
        // A sentinel may name a server that is no primary yet, or any more.
        // rule: a server that sentinels name says itself that it is the primary
        if case .sentinels = settings.address { add(RedisCommand("ROLE"), .primary, "+role") }
        for script in scripts { add(RedisCommand("SCRIPT", "LOAD", script.text), .digest(script), "+script|load") }
        self.bytes = bytes
        self.steps = steps.reversed()
    }

    /// The command that signs in; nil if there is no password.
    static func signIn(_ settings: RedisSettings) -> RedisCommand? {
        guard let password = settings.password else { return nil }
        let words = (settings.user.map { [$0] } ?? []) + [password.reveal()]
        return RedisCommand("AUTH", arguments: words.map { Array($0.utf8) })
    }

    /// Takes the bytes of all its commands; none are left then.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Takes the answer to the next command.
    ///
    /// - Throws: `.forbidden`, `.refused`, `.notPrimary` or `.malformed`.
    mutating func answered(_ reply: RedisReply) throws(WireError) {
        guard let (step, right) = steps.popLast() else { throw .malformed }
        if let kind = reply.errorKind { throw kind == "NOPERM" ? .forbidden(right) : .refused(kind) }
        switch step {
        case .accepted:
            guard reply == .status("OK") else { throw .malformed }
        case .primary:
            guard case .array(let parts) = reply, let role = parts.first?.bytes else { throw .malformed }
            guard role.elementsEqual("master".utf8) else { throw .notPrimary }
        case .digest(let script):
            // rule: the digest of a script is one
            guard case .string(let digest) = reply, digest.count == 40, digest.allSatisfy(\.isHexDigit) else {
                throw .malformed
            }
            digests[script] = digest
        }
    }
}
