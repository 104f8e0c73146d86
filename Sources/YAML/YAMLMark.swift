/// A place in a text, as people count.
package struct YAMLMark: Sendable, Hashable {
    /// The line, from 1.
    ///
    /// Lines end where libyaml ends them: at LF, CR, CR LF, NEL (U+0085), LS (U+2028) and PS (U+2029).
    package let line: Int
    /// The column, from 1, in Unicode scalars; a byte order mark at the start of the text counts as none.
    package let column: Int

    /// Makes a place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

extension YAMLMark {
    static let start = YAMLMark(line: 1, column: 1)
}

extension YAMLMark: CustomStringConvertible {
    /// Line and column, `12:5`.
    package var description: String { "\(line):\(column)" }
}

extension YAMLMark {
    /// The place of a byte, by the rules of libyaml, for errors that it reports by their offset only.
    init(ofByte offset: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        var (line, column) = (1, 1)
        var place = 0
        while place < min(offset, bytes.count) {
            let width = Self.breakWidth(at: place, in: bytes)
            if width > 0 {
                (line, column) = (line + 1, 1)
                place += width
            } else {
                // The bytes after the first of a character are no columns of their own.
                if bytes[place] & 0xC0 != 0x80 { column += 1 }
                place += 1
            }
        }
        self.init(line: line, column: column)
    }

    /// How many bytes the line break at a place has, 0 when there is none.
    private static func breakWidth(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        func follows(_ expected: UInt8...) -> Bool { bytes[place...].dropFirst().starts(with: expected) }
        return switch bytes[place] {
        case 0x0A: 1
        case 0x0D: follows(0x0A) ? 2 : 1
        case 0xC2: follows(0x85) ? 2 : 0
        case 0xE2: follows(0x80, 0xA8) || follows(0x80, 0xA9) ? 3 : 0
        default: 0
        }
    }
}
