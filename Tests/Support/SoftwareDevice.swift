internal import Basics
internal import Cryptography
internal import JOSE
public import JSON

/// A device with a key in software, which signs as Chromium does for device-bound sessions.
public struct SoftwareDevice: Sendable {
    private let key: PrivateKey
    private let algorithm: JWSAlgorithm

    /// Makes a device with a new key.
    ///
    /// - Throws: An error of OpenSSL.
    public init(rsa: Bool = false) throws {
        key = rsa ? try PrivateKey.generateRSA() : try PrivateKey.generateEC(.p256)
        algorithm = rsa ? .RS256 : .ES256
    }

    /// The public key as the header of a registration has it.
    public var jwk: JSONObject {
        var json = JWK(key.publicKey, id: nil).json
        json["use"] = nil
        return json
    }

    /// Signs a challenge for a registration: the key is in the header.
    ///
    /// `header` and `claims` replace members of the same name, nil takes a member away.
    ///
    /// - Throws: An error of OpenSSL.
    public func register(
        _ challenge: String, header: [String: JSONValue?] = [:], claims: [String: JSONValue?] = [:]
    ) throws -> String {
        try sign(challenge, ["jwk": .object(jwk)].merging(header) { $1 }, claims)
    }

    /// Signs a challenge with the key that was registered.
    ///
    /// - Throws: An error of OpenSSL.
    public func prove(
        _ challenge: String, header: [String: JSONValue?] = [:], claims: [String: JSONValue?] = [:]
    ) throws -> String {
        try sign(challenge, header, claims)
    }

    private func sign(
        _ challenge: String, _ header: [String: JSONValue?], _ claims: [String: JSONValue?]
    ) throws -> String {
        var payload: JSONObject = ["jti": .string(challenge)]
        for (name, value) in claims { payload[name] = value }
        var members: JSONObject = ["alg": .string(algorithm.rawValue), "typ": "dbsc+jwt"]
        for (name, value) in header { members[name] = value }
        let signed = [members, payload].map { Base64URL.encode(JSONValue.object($0).serialized()) }
        let text = signed.joined(separator: ".")
        return text + "." + Base64URL.encode(try key.sign(Array(text.utf8), algorithm.signature))
    }
}
