internal import Basics
internal import Cryptography

/// What a valid session secret opens: the key of the session, and what is said about the secret.
public struct SessionTicket: Sendable {
    /// The key of the session.
    public let dataKey: DataKey
    /// Facts bound to the secret, such as its epoch; this module does not look into them.
    public let claims: [UInt8]

    /// A ticket.
    public init(dataKey: DataKey, claims: [UInt8]) {
        self.dataKey = dataKey
        self.claims = claims
    }
}

/// Wraps the key of a session under a server key and the secret of a cookie together.
///
/// The wrapping key is HMAC(server key, secret), so that neither the server key, nor the store, nor both open a ticket
/// without the cookie. A ticket is format version, length and id of the server key, nonce, ciphertext, tag; the clear part
/// and the session are authenticated.
public struct TicketSealer: Sendable {
    private let headers: [ServerKeyHeader]
    private let wrappers: [HMACKey]

    /// Prepares the server keys; the first seals.
    public init(_ keys: ServerKeys) {
        headers = keys.keys.map(ServerKeyHeader.init)
        wrappers = keys.keys.map { HMACKey($0.derived("ticket")) }
    }

    /// Makes the ticket of a credential, to be written to its `ticketField`.
    ///
    /// - Throws: `.failed`.
    public func seal(_ ticket: SessionTicket, for credential: SessionCredential) throws(SealError) -> [UInt8] {
        var plaintext = [UInt8]()
        plaintext.reserveCapacity(DataKey.materialCount + ticket.claims.count)
        ticket.dataKey.withMaterial { plaintext += $0 }
        plaintext += ticket.claims
        defer { cleanse(&plaintext) }
        do {
            let key = try wrappingKey(0, credential)
            return try headers[0].bytes + key.seal(plaintext, additionalData: place(0, credential))
        } catch {
            throw SealError(error)
        }
    }

    /// Opens the ticket of a credential.
    ///
    /// - Returns: The ticket, and whether the current server key sealed it; if not, the caller seals it again, and the
    ///   older key is needed no longer.
    /// - Throws: `.notAuthentic` for another credential or changed bytes; `.unsupportedVersion`; `.unknownKey` when the
    ///   server key was taken out.
    public func open(
        _ sealed: [UInt8], for credential: SessionCredential
    ) throws(SealError) -> (ticket: SessionTicket, isCurrentKey: Bool) {
        let number = try ServerKeyHeader.match(sealed, headers)
        var plaintext: [UInt8]
        do {
            let key = try wrappingKey(number, credential)
            plaintext = try key.open(
                Array(sealed[headers[number].bytes.count...]), additionalData: place(number, credential))
        } catch {
            throw SealError(error)
        }
        defer { cleanse(&plaintext) }
        guard let key = DataKey(material: plaintext.prefix(DataKey.materialCount)) else { throw .notAuthentic }
        let claims = Array(plaintext.dropFirst(DataKey.materialCount))
        return (SessionTicket(dataKey: key, claims: claims), number == 0)
    }

    private func wrappingKey(_ number: Int, _ credential: SessionCredential) throws(CryptographyError) -> AEADKey {
        var bytes = wrappers[number].authenticate(credential.secret)
        defer { cleanse(&bytes) }
        guard let key = AEADKey(bytes) else { throw .unusableKey }
        return key
    }

    private func place(_ number: Int, _ credential: SessionCredential) -> [UInt8] {
        headers[number].bytes + credential.sessionKey.bytes
    }
}
