internal import Basics
internal import HTTPCore

/// The path of a request, split and decoded once; all later decisions use these segments.
///
/// Parts that a proxy in front might read differently are refused instead of normalised: dot segments, backslashes,
/// control characters, and slashes and dots behind an escape.
struct RequestPath: Sendable, Equatable {
    /// The segments between slashes, decoded.
    let segments: [String]

    /// Splits the target before its query, as sent.
    ///
    /// - Throws: `.malformed` for a path with two readings; `.notFound` for a target without a leading slash.
    init(_ raw: Substring) throws(Problem) {
        guard raw.utf8.first == UInt8(ascii: "/") else { throw Problem(.notFound) }
        var raw = raw
        guard let segments = raw.withUTF8({ Self.segments($0) }) else {
            throw Problem(
                .malformed,
                """
                The path holds dot segments, backslashes, control characters, escapes of these, of slashes or of \
                percent signs, or escapes that are no UTF-8.
                """)
        }
        self.segments = segments
    }

    /// True if a path of the configuration has no dot segments and only one reading.
    static func isNormal(_ path: String) -> Bool {
        (try? RequestPath(Substring(path))) != nil
    }

    /// Splits in one pass over the bytes, because it runs for every request; nil for a path that is refused.
    private static func segments(_ bytes: UnsafeBufferPointer<UInt8>) -> [String]? {
        var segments: [String] = []
        segments.reserveCapacity(5)
        var start = 1
        var isEscaped = false
        for index in 1...bytes.count {
            let byte = index < bytes.count ? bytes[index] : UInt8(ascii: "/")
            switch byte {
            case UInt8(ascii: "/"):
                let raw = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
                guard let text = isEscaped ? decoded(raw) : raw, ![".", ".."].contains(where: text.isSameText) else {
                    return nil
                }
                segments.append(text)
                start = index + 1
                isEscaped = false
            case UInt8(ascii: "%"): isEscaped = true
            case UInt8(ascii: "\\"), UInt8(ascii: "#"), 0...0x20, 0x7F...: return nil
            default: break
            }
        }
        return segments
    }

    private static func decoded(_ raw: String) -> String? {
        guard let text = PercentEncoding.decode(raw) else { return nil }
        // Counted, because literal dots are allowed in a segment, and escaped ones never are.
        let dots = raw.utf8.count { $0 == UInt8(ascii: ".") }
        guard text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == dots,
            text.utf8.allSatisfy({
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: "%")
            })
        else { return nil }
        return text
    }
}
