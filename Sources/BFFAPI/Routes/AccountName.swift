internal import BFF
internal import Basics
internal import HTTPCore

/// The name that a page gives to an account: any text of 1 to 128 bytes that a path can carry, such as an e-mail
/// address.
///
/// The use cases get it percent-encoded (RFC 3986 section 2.1): two spellings of one character are then two names, as
/// they are to the store, and the encoded name can stand in a path unchanged.
enum AccountName {
    private static let byteRange = 1...128

    /// Encodes a name for the use cases.
    ///
    /// - Parameter text: The name, decoded.
    /// - Returns: The encoded name; nil for a text that is not a name: empty, too long, with control characters, or
    ///   with a slash, a backslash or a percent sign, which servers in front read differently (see `RequestPath`).
    static func encoded<Text: StringProtocol>(_ text: Text) -> String? where Text.SubSequence == Substring {
        guard byteRange ~= text.utf8.count,
            text.unicodeScalars.allSatisfy({ scalar in
                scalar.value >= 0x20 && !(0x7F...0x9F ~= scalar.value) && !["/", "\\", "%"].contains(scalar)
            })
        else { return nil }
        return PercentEncoding.encode(String(text))
    }

    /// Encodes an instance from a path, `standard:alice@example.com`, for the use cases.
    ///
    /// - Parameter segment: The segment, decoded.
    /// - Returns: The client with the account; where the account is not a name, the client with a colon alone, which no
    ///   instance has.
    static func instance(_ segment: String) -> String {
        guard let colon = segment.utf8.firstIndex(of: UInt8(ascii: ":")) else { return segment }
        let account = segment[segment.utf8.index(after: colon)...]
        return segment[...colon] + (encoded(account) ?? "")
    }

    /// Decodes an account or an instance for pages.
    ///
    /// - Parameter encoded: The form for the use cases.
    /// - Returns: The form for pages.
    static func text(_ encoded: String) -> String { PercentEncoding.decode(encoded) ?? encoded }
}
