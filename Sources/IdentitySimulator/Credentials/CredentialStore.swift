internal import Basics

/// The credentials that browsers have registered, by user.
final class CredentialStore: Sendable {
    /// A credential with its key.
    struct Credential: Sendable {
        let id: [UInt8]
        let user: String
        let key: CredentialKey
        /// The signature counter of its last use.
        var counter: UInt32
        /// What the user calls the device.
        let deviceName: String
    }

    private static let most = 1000
    private let kept = Locked<[[UInt8]: Credential]>([:])

    /// Keeps a new credential; false where there is one with its id, or no room.
    func add(_ credential: Credential) -> Bool {
        kept.withLock { kept in
            guard kept[credential.id] == nil, kept.count < Self.most else { return false }
            kept[credential.id] = credential
            return true
        }
    }

    /// The ids of a user's credentials, in a stable order.
    func ids(of user: String) -> [[UInt8]] {
        kept.withLock { $0.values.filter { $0.user == user }.map(\.id) }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Uses a credential, once the counter of the use is beyond that of the last one; some authenticators have none, and say 0.
    ///
    /// - Parameters:
    ///   - id: The id of the credential.
    ///   - counter: The counter that was signed.
    ///   - isGood: Whether the signature is the credential's.
    /// - Returns: Whose credential it is; nil where it is not known, not used or used before.
    func use(_ id: [UInt8], counter: UInt32, if isGood: (Credential) -> Bool) -> String? {
        guard let credential = kept.withLock({ $0[id] }), isGood(credential) else { return nil }
        return kept.withLock { kept in
            guard let last = kept[id]?.counter, counter > last || (counter == 0 && last == 0) else { return nil }
            kept[id]?.counter = counter
            return credential.user
        }
    }
}
