import Basics

/// The grammar of `tracestate` (W3C Trace Context, section 3.3.1).
enum TraceState {
    /// True if a value may be passed on: not empty, within the bounds, and each member well-formed with a unique key.
    static func isUsable(_ text: String) -> Bool {
        guard text.utf8.count <= TraceContext.stateLimit else { return false }
        var keys: Set<Substring> = []
        for member in text.split(byte: ",") {
            let member = trimmed(member)
            if member.isEmpty { continue }
            guard let equals = member.utf8.firstIndex(of: UInt8(ascii: "=")), isKey(member[..<equals]),
                isValue(member[member.utf8.index(after: equals)...]), keys.insert(member[..<equals]).inserted
            else { return false }
        }
        return 1...32 ~= keys.count
    }

    /// True for a key that begins with a small letter or a digit and has at most 256 characters.
    private static func isKey(_ key: Substring) -> Bool {
        guard let first = key.utf8.first, isSmallLetterOrDigit(first), key.utf8.count <= 256 else { return false }
        return key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "@"): true
            default: isSmallLetterOrDigit(byte)
            }
        }
    }

    /// True for printable ASCII without comma and equals sign; 1 to 256 characters.
    private static func isValue(_ value: Substring) -> Bool {
        1...256 ~= value.utf8.count
            && value.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=") }
    }

    private static func isSmallLetterOrDigit(_ byte: UInt8) -> Bool {
        byte.isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    private static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = Substring(text.utf8.drop(while: isBlank))
        while isBlank(text.utf8.last) { text = Substring(text.utf8.dropLast()) }
        return text
    }
}
