internal import BFF
internal import Basics
internal import HTTPCore

/// The name that a page gives to an account: any text of 1 to 128 bytes that a path can carry, an e-mail address for
/// instance.
///
/// The use cases get it percent-encoded (RFC 3986 section 2.1): two spellings of one character are two names then, as
/// they are to the store, and what they name can stand in a path as it is.
enum AccountName {
    private static let byteRange = 1...128

    /// The form for the use cases.
    ///
    /// - Parameter text: The name, decoded.
    /// - Returns: nil for a text that is none: empty or too long, with control characters, or with a slash, a backslash or a
    ///   percent sign, which servers in front read differently (see `RequestPath`).
    static func encoded<Text: StringProtocol>(_ text: Text) -> String? where Text.SubSequence == Substring {
        guard byteRange ~= text.utf8.count,
            text.unicodeScalars.allSatisfy({ scalar in
                scalar.value >= 0x20 && !(0x7F...0x9F ~= scalar.value) && !["/", "\\", "%"].contains(scalar)
            })
        else { return nil }
        return PercentEncoding.encode(text)
    }

    /// What a path names, `standard:alice@example.com`, in the form for the use cases.
    ///
    /// - Parameter segment: The segment, decoded.
    /// - Returns: The client with the account; with a colon alone, which is nobody's, where the account is none.
    static func instance(_ segment: String) -> String {
        guard let colon = segment.utf8.firstIndex(of: UInt8(ascii: ":")) else { return segment }
        let account = segment[segment.utf8.index(after: colon)...]
        return segment[...colon] + (encoded(account) ?? "")
    }

    /// What pages know an account or an instance by.
    ///
    /// - Parameter encoded: Its form for the use cases.
    /// - Returns: The text.
    static func text(_ encoded: String) -> String { PercentEncoding.decode(encoded) ?? encoded }
}
