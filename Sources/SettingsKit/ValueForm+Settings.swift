package import Basics
package import HTTPCore
internal import YAML

extension ValueForm where Value == String {
    /// A word in the characters of an HTTP token or a scope (RFC 6749 section 3.3), without spaces.
    package static func word(_ expected: String) -> Self {
        ValueForm(expected: expected) { text in
            let isWord = text.utf8.allSatisfy {
                0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            return 1...256 ~= text.utf8.count && isWord ? text : nil
        }
    }

    /// An address, kept as written, because issuers and redirect URIs are compared letter by letter.
    package static func protectedAddress(_ insecure: Bool, _ what: String) -> Self {
        ValueForm(expected: "\(what), with https") { text in
            guard let url = WebURL(text), url.scheme == .https || url.isLoopback || insecure else { return nil }
            return text
        }
    }

    /// The name of a cookie (RFC 6265 section 4.1.1).
    package static var cookieName: Self {
        ValueForm(expected: "the name of a cookie") { text in
            let separators = Set(#"()<>@,;:\"/[]?={}"#.utf8)
            let isToken = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !separators.contains($0) }
            return 1...128 ~= text.utf8.count && isToken ? text : nil
        }
    }
}

extension ValueForm where Value == Bool {
    /// The booleans of the core schema of YAML 1.2; `yes`, `no`, `on` and `off` are texts.
    ///
    /// Quoted ones are accepted, because the value of a variable is always a text.
    package static var flag: Self {
        ValueForm(expected: "true or false") { YAMLScalar($0, isPlain: true).bool }
    }
}

extension ValueForm {
    /// An address, parsed as a URL.
    package static func address(_ expected: String) -> ValueForm<WebURL> where Value == WebURL {
        ValueForm<WebURL>(expected: expected) { WebURL($0) }
    }
}
