import Basics
import Cryptography
package import StorageKit

/// Computes the keys of the index of sign-ins from the names that providers use.
///
/// Keys are MACs under the server keys, so the store shows no subject and no `sid`. A sign-in is stored under the first
/// server key and looked up under all of them.
package struct IndexKeys: Sendable {
    private let keys: [HMACKey]
    private let idKeys: [HMACKey]
    private let everyoneKeys: [[UInt8]]

    /// Derives the keys.
    package init(_ keys: ServerKeys) {
        let macKeys = keys.authenticationKeys(for: "sign-in index")
        self.keys = macKeys
        everyoneKeys = macKeys.map { Self.mac($0, "everyone", "", "") }
        idKeys = keys.authenticationKeys(for: "session id")
    }

    /// The names of a sign-in.
    package func names(issuer: String, subject: String, sessionID: String?) -> SignInNames {
        SignInNames(
            keys.map { key in
                IndexNames(
                    user: Self.mac(key, "user", issuer, subject),
                    session: sessionID.map { Self.mac(key, "session", issuer, $0) }
                        ?? Self.mac(key, "unnamed", issuer, subject))
            })
    }

    /// The keys of all marks that end a sign-in, under every server key: an end is marked under those that its process
    /// has.
    func marks(of names: SignInNames) -> [[UInt8]] {
        let own = zip(keys, names.all).flatMap { key, names in [names.user, names.session, Self.owned(key, names)] }
        return own + everyoneKeys
    }

    /// The keys of all sign-ins of a user, one for each server key.
    package func user(issuer: String, subject: String) -> [[UInt8]] {
        keys.map { Self.mac($0, "user", issuer, subject) }
    }

    /// The keys of the sign-ins with a provider session.
    package func session(issuer: String, sessionID: String) -> [[UInt8]] {
        keys.map { Self.mac($0, "session", issuer, sessionID) }
    }

    /// The keys of the mark of a provider session that ended for one user alone.
    func owned(issuer: String, sessionID: String, subject: String) -> [[UInt8]] {
        let names = names(issuer: issuer, subject: subject, sessionID: sessionID)
        return zip(keys, names.all).map { Self.owned($0, $1) }
    }

    /// Both MACs have a fixed length, so no two pairs give the same bytes.
    private static func owned(_ key: HMACKey, _ names: IndexNames) -> [UInt8] {
        key.authenticate(Array("owned".utf8) + [0] + names.session + names.user)
    }

    /// The keys of a user's sign-ins whose provider session has no known name.
    package func unnamed(issuer: String, subject: String) -> [[UInt8]] {
        keys.map { Self.mac($0, "unnamed", issuer, subject) }
    }

    /// The keys of the mark of all users.
    package func everyone() -> [[UInt8]] { everyoneKeys }

    /// The number of parts into which all sessions are divided: a store has room for some thousand sessions under one key,
    /// so for a hundred million in all of them; each sign-in reads all entries of its part, some dozens of a million.
    static let shareCount = 1 << 14

    /// The key of a part of all sessions, under the first server key.
    package func share(of session: SessionKey) -> [UInt8] {
        let bytes = session.bytes
        return share(keys[0], (Int(bytes[0]) << 8 | Int(bytes[1])) % Self.shareCount)
    }

    /// The keys of all sessions.
    package func shares() -> [[UInt8]] {
        keys.flatMap { key in (0..<Self.shareCount).map { share(key, $0) } }
    }

    private func share(_ key: HMACKey, _ number: Int) -> [UInt8] {
        Self.mac(key, "share", "", "\(number)")
    }

    /// The name of a session for its user and for operators, which opens nothing: 22 characters of base64url.
    func publicID(_ session: SessionKey) -> String {
        Base64URL.encode(idKeys[0].authenticate(session.bytes).prefix(16))
    }

    /// True if a text is the public name of a session under any server key.
    func isPublicID(_ text: String, of session: SessionKey) -> Bool {
        idKeys.contains { Base64URL.encode($0.authenticate(session.bytes).prefix(16)).isSameText(as: text) }
    }

    /// The kind and the length of the issuer keep apart names of different kinds and issuers, whatever they contain.
    private static func mac(_ key: HMACKey, _ kind: String, _ issuer: String, _ name: String) -> [UInt8] {
        let issuer = Array(issuer.utf8)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: issuer.count >> (8 * $0)) }
        return key.authenticate(Array(kind.utf8) + [0] + length + issuer + name.utf8)
    }
}
