import Basics

/// Character classes of RFC 9110 section 5.6.
package enum Grammar {
    /// True if the text is a token: method, field name, cookie name, media type part.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// True if the byte may occur in a token.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte.isWordByte || "!#$%&'*+.^`|~".utf8.contains(byte)
    }
}
