import Basics

/// Access tokens and sessions that tests have seen: none may stand in a log or an answer.
enum LiveSecrets {
    private static let seen = Locked<Set<String>>([])

    static func add(_ secret: String) {
        if secret.utf8.count >= 8 { seen.withLock { _ = $0.insert(secret) } }
    }

    static var all: [String] { seen.withLock { Array($0) } }
}
