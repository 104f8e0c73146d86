internal import HTTPCore

/// The path of a request, taken apart and decoded once; everything after decides on these segments.
///
/// What a proxy in front might read differently is refused instead of normalised: dot segments, backslashes, control
/// characters, and slashes and dots behind an escape.
struct RequestPath: Sendable, Equatable {
    /// The segments between slashes, decoded.
    let segments: [String]

    /// Takes apart the target before its query, as sent.
    ///
    /// - Throws: `.malformed` for what could be read in two ways.
    init(_ raw: Substring) throws(Problem) {
        guard raw.utf8.first == UInt8(ascii: "/") else { throw Problem(.notFound) }
        var segments: [String] = []
        segments.reserveCapacity(5)
        for raw in raw.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            segments.append(try Self.segment(Substring(raw)))
        }
        self.segments = segments
    }

    /// Whether a path of the configuration is what it seems: no dot segments, and nothing that has two readings.
    static func isNormal(_ path: String) -> Bool {
        (try? RequestPath(Substring(path))) != nil
    }

    private static func segment(_ raw: Substring) throws(Problem) -> String {
        var isEscaped = false
        for byte in raw.utf8 {
            guard byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "#") else {
                throw refused
            }
            isEscaped = isEscaped || byte == UInt8(ascii: "%")
        }
        let text = isEscaped ? try decoded(raw) : String(raw)
        guard text != ".", text != ".." else { throw refused }
        return text
    }

    private static func decoded(_ raw: Substring) throws(Problem) -> String {
        guard let text = PercentEncoding.decode(raw) else { throw refused }
        // Counted, because these may stand in the path as they are, but never behind an escape.
        let dots = raw.utf8.count { $0 == UInt8(ascii: ".") }
        guard text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == dots,
            text.utf8.allSatisfy({
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
                    && $0 != UInt8(ascii: "%")
            })
        else { throw refused }
        return text
    }

    private static var refused: Problem {
        Problem(.malformed, "The path holds dot segments, backslashes, control characters or escapes of them.")
    }
}
