internal import Basics
internal import Cryptography

/// The content of a ticket, which a valid session secret opens: the session's key and facts about the secret.
package struct SessionTicket: Sendable {
    /// The data key of the session.
    package let dataKey: DataKey
    /// Facts bound to the secret, such as its epoch; this module does not interpret them.
    package let claims: [UInt8]

    /// Makes the content of a ticket.
    package init(dataKey: DataKey, claims: [UInt8]) {
        self.dataKey = dataKey
        self.claims = claims
    }
}

/// Wraps the key of a session under a server key and the secret of a cookie combined.
///
/// The wrapping key is HMAC(server key, secret), so neither the server key nor the store, nor both together, open a
/// ticket without the cookie. A ticket is format version, length and id of the server key, nonce, ciphertext, tag; the
/// clear part and the session are authenticated.
package struct TicketSealer: Sendable {
    private let headers: [ServerKeyHeader]
    private let wrappers: [HMACKey]

    /// Prepares the server keys; the first one seals.
    package init(_ keys: ServerKeys) {
        headers = keys.keys.map(ServerKeyHeader.init)
        wrappers = keys.keys.map { HMACKey($0.derived("ticket")) }
    }

    /// Makes the ticket of a credential; the caller writes it to the credential's `ticketField`.
    ///
    /// - Throws: `.failed`.
    package func seal(_ ticket: SessionTicket, for credential: SessionCredential) throws(SealError) -> [UInt8] {
        var plaintext = [UInt8]()
        plaintext.reserveCapacity(DataKey.materialCount + ticket.claims.count)
        ticket.dataKey.withMaterial { plaintext += $0 }
        plaintext += ticket.claims
        defer { cleanse(&plaintext) }
        return try withWrappingKey(0, credential) { key, header, place in
            Envelope.seal(plaintext, key: key, header: header, place: place)
        }.get()
    }

    /// Opens the ticket of a credential.
    ///
    /// - Returns: The ticket, and true if the current server key sealed it; if not, the caller seals it again, so that
    ///   the older key can be removed.
    /// - Throws: `.notAuthentic` for another credential or changed bytes; `.unsupportedVersion`; `.unknownKey` for a
    ///   ticket of a server key that this process does not have, see `keyID`.
    package func open(
        _ sealed: [UInt8], for credential: SessionCredential
    ) throws(SealError) -> (ticket: SessionTicket, isCurrentKey: Bool) {
        let number = try ServerKeyHeader.match(sealed, headers)
        var plaintext = try withWrappingKey(number, credential) { key, header, place in
            Envelope.open(sealed, key: key, header: header, place: place)
        }.get()
        defer { cleanse(&plaintext) }
        let key = plaintext.withUnsafeBytes { plaintext in
            DataKey(material: UnsafeRawBufferPointer(rebasing: plaintext.prefix(DataKey.materialCount)))
        }
        guard let key else { throw .notAuthentic }
        let claims = Array(plaintext[DataKey.materialCount...])
        return (SessionTicket(dataKey: key, claims: claims), number == 0)
    }

    /// The id of the server key that a ticket names; nil for bytes that are no ticket.
    package static func keyID(_ sealed: [UInt8]) -> String? { ServerKeyHeader.keyID(sealed) }

    /// Lends the key that wraps a ticket, its clear part, and the data authenticated with it: the clear part and the
    /// session.
    private func withWrappingKey(
        _ number: Int, _ credential: SessionCredential,
        _ body: (_ key: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer, _ place: UnsafeRawBufferPointer) ->
            Result<[UInt8], SealError>
    ) -> Result<[UInt8], SealError> {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: AEADKey.keyCount) { key in
            defer { cleanse(UnsafeMutableRawBufferPointer(key)) }
            credential.secret.withUnsafeBytes { wrappers[number].authenticate($0, into: key) }
            return headers[number].bytes.withUnsafeBytes { header in
                withUnsafeTemporaryAllocation(byteCount: header.count + SessionKey.byteCount, alignment: 8) { place in
                    place.copyMemory(from: header)
                    credential.sessionKey.write(to: UnsafeMutableRawBufferPointer(rebasing: place[header.count...]))
                    return body(UnsafeRawBufferPointer(key), header, UnsafeRawBufferPointer(place))
                }
            }
        }
    }
}
