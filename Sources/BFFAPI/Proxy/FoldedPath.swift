internal import Basics

/// A path as a lenient server may read it: two spellings that fold to the same segments may be the same path there.
///
/// Folding ignores letter case, path parameters, dots and blanks at the ends of segments and characters without width,
/// and maps the full-width forms U+FF01 to U+FF5E to their ASCII characters. It drops segments that fold to nothing,
/// because many servers merge slashes. It works on Unicode scalars, never on characters, which a combining mark would
/// join.
enum FoldedPath {
    /// The folded segments of a path, as bytes.
    static func fold(_ segments: [String]) -> [[UInt8]] {
        segments.map { Array(fold($0).utf8) }.filter { !$0.isEmpty }
    }

    /// True if servers may read a segment as something other than a name: as nothing or dots (`..;`, `.. `), or,
    /// because of a full-width delimiter, as several segments, an escape or the end of the path.
    static func isNoName(_ segment: String) -> Bool {
        if segment.utf8.allSatisfy({ $0 < 0x80 }), segment.utf8.first?.isLetterOrDigit ?? false { return false }
        return fold(segment).isEmpty
            || segment.unicodeScalars.contains { !$0.isASCII && "/\\%?#".unicodeScalars.contains(narrow($0)) }
    }

    private static func fold(_ segment: String) -> String {
        var name = String.UnicodeScalarView()
        for scalar in segment.unicodeScalars {
            let scalar = narrow(scalar)
            // A server that decodes again would end the path at the mark of a query or a fragment.
            if scalar.value == semicolon || !name.isEmpty && "?#".unicodeScalars.contains(scalar) { break }
            if scalar.properties.isDefaultIgnorableCodePoint { continue }
            switch scalar.value {
            case 0x41...0x5A: name.append(Unicode.Scalar(UInt8(scalar.value) | 0x20))
            case ..<0x80: name.append(scalar)
            // Lowercased from the upper case, because the long s and the dotless i have an ASCII capital.
            default: name.append(contentsOf: scalar.properties.uppercaseMapping.lowercased().unicodeScalars)
            }
        }
        while let last = name.last, last.value == dot || last.properties.isWhitespace { name.removeLast() }
        return String(name.drop { $0.properties.isWhitespace })
    }

    private static let semicolon = UInt32(UInt8(ascii: ";"))
    private static let dot = UInt32(UInt8(ascii: "."))

    /// The ASCII character of a full-width form, and of U+037E, which is canonically a semicolon.
    private static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0xFF01...0xFF5E: Unicode.Scalar(UInt8(scalar.value - 0xFEE0))
        case 0x037E: ";"
        default: scalar
        }
    }
}
