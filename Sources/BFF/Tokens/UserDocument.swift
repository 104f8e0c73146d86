import Basics
import JSON
import OpenIDConnect

/// Renders the part of the `user` answer that does not change with time.
enum UserDocument {
    /// The document up to and including the token's `"expiresIn":`.
    static func head(_ tokens: TokenSet, claims: JSONObject?, session: SessionFacts?) -> [UInt8] {
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("subject", tokens.subject)
        writer.member("claims", value: .object(claims ?? JSONObject()))
        writer.member("session")
        writer.beginObject()
        writer.member("realm", session?.realm ?? "")
        writer.member(
            "successUrl", value: session.flatMap { sameOriginPath($0.successURL) }.map(JSONValue.string) ?? .null)
        writer.endObject()
        writer.member("token")
        writer.beginObject()
        writer.member("scope", value: .array(tokens.scopes.map(JSONValue.string)))
        writer.member("acr", value: tokens.acr.map(JSONValue.string) ?? .null)
        writer.member("amr", value: .array(tokens.amr.map(JSONValue.string)))
        writer.member("authLevel", value: tokens.authLevel.map { JSONValue(Int64($0)) } ?? .null)
        writer.member("authTime", value: tokens.authTime.map { JSONValue($0.seconds) } ?? .null)
        writer.member("expiresIn")
        return writer.bytes
    }

    /// The address when it is a path of this origin: the provider's word may be influenced by an attacker's `goto`.
    static func sameOriginPath(_ url: String) -> String? {
        let bytes = Array(url.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count == 1 || bytes[1] != UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return url
    }
}

extension UserDocument {
    /// The claims in a rendered document, for rendering it anew with other tokens.
    static func claims(in head: ArraySlice<UInt8>) -> JSONObject? {
        // The head ends inside the token object; closing it makes it a document again.
        guard let scanner = try? JSONScanner(Array(head) + Array("null}}".utf8)),
            let range = scanner.range(of: "claims")
        else {
            return nil
        }
        return (try? scanner.value(at: range))?.object
    }
}
