internal import BFFAPI
internal import Basics
internal import HTTPCore
internal import YAML

extension ValueForm where Value == String {
    /// A word in the characters of an HTTP token or a scope (RFC 6749 section 3.3), without spaces.
    static func word(_ expected: String) -> Self {
        ValueForm(expected: expected) { text in
            let isWord = text.utf8.allSatisfy {
                0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            return 1...256 ~= text.utf8.count && isWord ? text : nil
        }
    }

    /// The name of a cookie (RFC 6265 section 4.1.1).
    static var cookieName: Self {
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
    static var flag: Self {
        ValueForm(expected: "true or false") { YAMLScalar($0, isPlain: true).bool }
    }
}

extension ValueForm where Value == WebURL {
    static func address(_ expected: String) -> Self {
        ValueForm(expected: expected) { WebURL($0) }
    }
}

extension ValueForm where Value == AddressRange {
    /// A block of peers.
    static var peers: Self {
        ValueForm(expected: "an address or a block like 10.0.0.0/8") { AddressRange($0) }
    }

    /// A block of peers that is not too wide, where a network of that size cannot belong to one operator's gateways.
    static var fewPeers: Self {
        ValueForm(expected: "an address or a block like 10.0.0.0/8, not all addresses") { text in
            AddressRange(text).flatMap { $0.isTooWide ? nil : $0 }
        }
    }
}
