internal import Basics
package import Cryptography
package import JSON

/// The protected header of a JWS (RFC 7515 section 4.1).
///
/// Members that carry or point to keys (`jwk`, `jku`, `x5u`, `x5c`) stay in `json` and are never used: the forger of a
/// token chooses them.
package struct JWSHeader: Sendable, Equatable {
    /// `alg` as written.
    package let algorithmName: String
    /// The name of the key that signed, `kid`; nil when the header has none.
    package let keyID: String?
    /// The kind of token, `typ`; nil when the header has none.
    package let type: String?
    /// All members of the header, including unused ones.
    package let json: JSONObject

    /// The algorithm; nil for `none`, symmetric and unknown ones.
    package let algorithm: JWSAlgorithm?

    /// The algorithm when it is one with a shared secret; nil for all others.
    package var macAlgorithm: MACAlgorithm? { MACAlgorithm(rawValue: algorithmName) }

    /// The hash of the algorithm, for `at_hash` and its like; nil for an unknown one.
    package var hash: HashAlgorithm? { algorithm?.hash ?? macAlgorithm?.hash }

    /// Reads a header.
    ///
    /// - Throws: `.malformed` for bytes that are no JSON object with unique names, without `alg`, or with members of the
    ///   wrong type; `.extensionRequired` when `crit` is present, whatever it lists.
    init(parsing bytes: [UInt8]) throws(JOSEError) {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes, limits: JSONLimits(maxDepth: 8)) } catch { throw .malformed }
        guard let json = value.object, let algorithm = json["alg"]?.string else { throw .malformed }
        guard json["crit"] == nil else { throw .extensionRequired }
        algorithmName = algorithm
        self.algorithm = JWSAlgorithm(rawValue: algorithm)
        keyID = try Self.text(json, "kid")
        type = try Self.text(json, "typ")
        self.json = json
    }

    /// True if `typ` is this text, which is in lower case, in any case of ASCII letters.
    package func hasType(_ word: StaticString) -> Bool {
        guard var type else { return false }
        return type.withUTF8 { UnsafeRawBufferPointer($0).isWord(word) }
    }

    private static func text(_ json: JSONObject, _ name: String) throws(JOSEError) -> String? {
        guard let value = json[name] else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }
}
