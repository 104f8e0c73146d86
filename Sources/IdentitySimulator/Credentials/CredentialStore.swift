internal import Basics

/// The registered credentials of browsers, by user.
final class CredentialStore: Sendable {
    /// A credential with its public key.
    struct Credential: Sendable {
        let id: [UInt8]
        let user: String
        let key: CredentialKey
        /// The signature counter at the last use.
        var counter: UInt32
        /// The user's name for the device.
        let deviceName: String
    }

    private static let most = 1000
    private let kept = Locked<[[UInt8]: Credential]>([:])

    /// Stores a new credential; false if its id is taken or the store is full.
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

    /// Records the use of a credential if its signature counter has grown; authenticators without a counter send 0.
    ///
    /// - Parameters:
    ///   - id: The id of the credential.
    ///   - counter: The signed counter.
    ///   - isGood: Returns true if the signature is the credential's.
    /// - Returns: The user of the credential; nil if it is unknown, its signature is wrong, or the counter was used
    ///   before.
    func use(_ id: [UInt8], counter: UInt32, if isGood: (Credential) -> Bool) -> String? {
        guard let credential = kept.withLock({ $0[id] }), isGood(credential) else { return nil }
        return kept.withLock { kept in
            guard let last = kept[id]?.counter, counter > last || (counter == 0 && last == 0) else { return nil }
            kept[id]?.counter = counter
            return credential.user
        }
    }
}
