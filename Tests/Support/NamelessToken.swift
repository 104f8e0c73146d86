internal import Basics
package import Cryptography
package import JOSE
package import JSON

extension PrivateKey {
    /// A key set with the public half alone, which has no id.
    package var namelessSet: JWKSet { JWKSet([JWK(publicKey, id: nil, algorithm: .ES256)]) }

    /// A token with an ES256 signature and without `kid`.
    package func signNameless(_ claims: JSONObject, type: String = "JWT") throws -> String {
        let header = #"{"alg":"ES256","typ":"\#(type)"}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.text.utf8)
        return signed + "." + Base64URL.encode(try sign(Array(signed.utf8), JWSAlgorithm.ES256.signature))
    }
}
