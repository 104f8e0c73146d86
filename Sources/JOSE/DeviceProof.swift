internal import Basics
internal import JSON

/// A proof of possession of a device's key, the `dbsc+jwt` of Device Bound Session Credentials, parsed.
///
/// Its only claim of weight is the challenge: it names the session, the purpose and the time, and the caller checks it.
package struct DeviceProof: Sendable {
    /// The most bytes of a proof.
    private static let limits = JWS.Limits(tokenBytes: 4096, headerBytes: 4096)
    /// The kind of token, in the very case that browsers write.
    private static let type = "dbsc+jwt"
    /// Header members that would choose the key in place of the server.
    private static let keyReferences = ["kid", "jku", "x5u", "x5c", "x5t", "x5t#S256"]

    /// The challenge that was signed, `jti`.
    package let challenge: String
    private let jws: JWS
    private let algorithm: JWSAlgorithm

    /// Parses a proof.
    ///
    /// - Parameters:
    ///   - field: The value of `Secure-Session-Response`: the token, bare or in quotation marks.
    ///   - audience: The public address of the endpoint; a proof may name it or have no audience.
    /// - Throws: `.malformed`; `.tooLarge`; `.extensionRequired`; `.algorithmRefused`; `.unusableKey` for a header that
    ///   names a key elsewhere.
    package init(_ field: String, audience: String) throws(JOSEError) {
        let jws = try JWS.parse(Self.unquoted(field), limits: Self.limits)
        // rule: a proof of a device has its own type
        guard jws.header.type?.isSameText(as: Self.type) == true else { throw .malformed }
        // rule: a proof of a device uses an algorithm that is offered
        guard let algorithm = jws.header.algorithm, DeviceKey.algorithms.contains(algorithm) else {
            throw .algorithmRefused
        }
        // rule: a proof of a device names no key elsewhere
        guard Self.keyReferences.allSatisfy({ jws.header.json[$0] == nil }) else { throw .unusableKey }
        let claims = try JWTClaims.parse(jws.payload)
        guard let challenge = claims.json["jti"]?.string, !challenge.isEmpty else { throw .malformed }
        // rule: a proof of a device is for the endpoint that it names
        guard !claims.has(.audience) || Self.isAlone(audience, in: claims.audiences) else { throw .malformed }
        self.challenge = challenge
        self.algorithm = algorithm
        self.jws = jws
    }

    /// The key that a proof for a registration brings along, unverified.
    ///
    /// - Throws: `.unusableKey`, also where there is none; `.malformed`.
    package func newKey() throws(JOSEError) -> DeviceKey {
        guard let json = jws.header.json["jwk"]?.object else { throw .unusableKey }
        return try DeviceKey(json, algorithm)
    }

    /// Checks the signature of a proof that registers a key, with the key that it brings along.
    ///
    /// - Throws: `.badSignature`, and the errors of `newKey()`.
    package func verifyNewKey() throws(JOSEError) {
        let key = try newKey()
        try jws.verify(with: key.jwk, as: key.algorithm)
    }

    /// Checks the signature of any later proof, with the key that was registered.
    ///
    /// - Throws: `.unusableKey` for a proof that brings a key along; `.algorithmRefused` for another algorithm than that
    ///   of the registration; `.badSignature`.
    package func verify(with key: DeviceKey) throws(JOSEError) {
        // rule: a later proof of a device brings no key
        guard jws.header.json["jwk"] == nil else { throw .unusableKey }
        // rule: a later proof of a device is by the registered key
        try jws.verify(with: key.jwk, as: key.algorithm)
    }

    private static func isAlone(_ audience: String, in audiences: [String]) -> Bool {
        audiences.count == 1 && audiences[0].isSameText(as: audience)
    }

    private static func unquoted(_ field: String) -> [UInt8] {
        let (bytes, mark) = (Array(field.utf8), UInt8(ascii: "\""))
        guard bytes.count >= 2, bytes.first == mark, bytes.last == mark else { return bytes }
        return Array(bytes[1..<(bytes.count - 1)])
    }
}
