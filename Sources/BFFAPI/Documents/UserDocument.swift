package import BFF
internal import Basics
internal import JSON

/// The answer to `user`, as JSON, rendered in advance up to the first number that changes with time.
package struct UserDocument: UserRenderer {
    /// Makes the renderer.
    package init() {}

    /// The version of the rendered form, to be raised with each change of `render`: stored documents of another version
    /// are rendered anew.
    package var format: UInt64 { 1 }

    /// The document up to and including the token's `"expiresIn":`.
    package func render(_ user: UserFacts) -> [UInt8] {
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member("subject", user.subject)
        writer.member("claims", value: .object(user.claims ?? JSONObject()))
        writer.member("session", value: .object(user.session ?? Self.noSession))
        writer.member("token")
        writer.beginObject()
        writer.member("scope", value: .array(user.scopes.map(JSONValue.string)))
        writer.member("acr", value: user.acr.map(JSONValue.string) ?? .null)
        writer.member("amr", value: .array(user.amr.map(JSONValue.string)))
        writer.member("authLevel", value: user.authLevel.map { JSONValue(Int64($0)) } ?? .null)
        writer.member("authTime", value: user.authTime.map { JSONValue($0.seconds) } ?? .null)
        writer.member("expiresIn")
        return writer.bytes
    }

    /// The text shown in place of a fact when no provider session exists.
    private static let noSession: JSONObject = ["realm": "", "successUrl": nil]

    /// The whole document.
    static func document(_ user: User) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(user.rendered.count + 96)
        out.append(contentsOf: user.rendered)
        if let left = user.tokenExpiresIn {
            out.append(decimal: left)
        } else {
            out.append(literal: "null")
        }
        out.append(literal: "},\"expiresIn\":{\"idle\":")
        out.append(decimal: user.idle)
        out.append(literal: ",\"absolute\":")
        out.append(decimal: user.absolute)
        out.append(literal: "}}")
        return out
    }

}

extension [UInt8] {
    /// Appends a number in decimal digits; a negative number, of a time that has passed meanwhile, as 0.
    fileprivate mutating func append(decimal value: Int64) {
        guard value > 9 else { return append(UInt8(ascii: "0") + UInt8(Swift.max(0, value))) }
        append(decimal: value / 10)
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Appends a literal of the program.
    fileprivate mutating func append(literal text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
