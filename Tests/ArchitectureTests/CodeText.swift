/// Swift source with its comments, or its comments and strings, or all but its comments blanked out; lines stay where they
/// are.
///
/// Knows line comments, block comments, one-line and multi-line strings with `#` around them. Interpolations count as
/// part of their string.
struct CodeText: Sendable {
    /// The source without comments.
    private(set) var withoutComments = ""
    /// The source without comments and without what stands in strings.
    private(set) var withoutStrings = ""
    /// The comments alone, with what marks them.
    private(set) var comments = ""

    private enum Place {
        case code
        case lineComment
        case blockComment(depth: Int)
        case string(hashes: Int, quotes: Int)
    }

    private enum Kind {
        case code
        case comment
        case string
    }

    init(_ source: String) {
        var code = Array(source.utf8)
        var bare = code
        var comments = [UInt8](repeating: UInt8(ascii: " "), count: code.count)
        source.utf8.withContiguousStorageIfAvailable { text in
            var place = Place.code
            var index = 0
            while index < text.count {
                let (kind, length) = Self.step(text, index, &place)
                let end = min(index + length, text.count)
                for position in index..<end where kind == .comment || text[position] == UInt8(ascii: "\n") {
                    comments[position] = text[position]
                }
                if kind != .code {
                    for position in index..<end where text[position] != UInt8(ascii: "\n") {
                        bare[position] = UInt8(ascii: " ")
                        if kind == .comment { code[position] = UInt8(ascii: " ") }
                    }
                }
                index = end
            }
        }
        withoutComments = String(decoding: code, as: UTF8.self)
        withoutStrings = String(decoding: bare, as: UTF8.self)
        self.comments = String(decoding: comments, as: UTF8.self)
    }

    /// Takes the next piece: what it is, and its length.
    private static func step(
        _ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ place: inout Place
    ) -> (Kind, length: Int) {
        let byte = text[index]
        let next = index + 1 < text.count ? text[index + 1] : 0
        switch place {
        case .code:
            switch (byte, next) {
            case (UInt8(ascii: "/"), UInt8(ascii: "/")):
                place = .lineComment
                return (.comment, 2)
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                place = .blockComment(depth: 1)
                return (.comment, 2)
            case (UInt8(ascii: "\""), _), (UInt8(ascii: "#"), _):
                return (.code, openString(text, index, &place))
            default:
                return (.code, 1)
            }
        case .lineComment:
            if byte == UInt8(ascii: "\n") { place = .code }
            return (.comment, 1)
        case .blockComment(let depth):
            switch (byte, next) {
            case (UInt8(ascii: "*"), UInt8(ascii: "/")):
                place = depth == 1 ? .code : .blockComment(depth: depth - 1)
                return (.comment, 2)
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                place = .blockComment(depth: depth + 1)
                return (.comment, 2)
            default:
                return (.comment, 1)
            }
        case .string(let hashes, let quotes):
            if byte == UInt8(ascii: "\\"), count(of: "#", text, index + 1) >= hashes { return (.string, hashes + 2) }
            guard byte == UInt8(ascii: "\""), count(of: "\"", text, index) >= quotes,
                count(of: "#", text, index + quotes) >= hashes
            else { return (.string, 1) }
            place = .code
            return (.code, quotes + hashes)
        }
    }

    /// The length of what opens a string here, or of the whole string when it is empty, or of what opens none.
    private static func openString(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ place: inout Place) -> Int {
        let hashes = count(of: "#", text, index)
        switch count(of: "\"", text, index + hashes) {
        case 0:
            return max(1, hashes)
        case 2:
            return 2 * hashes + 2
        case let quotes:
            place = .string(hashes: hashes, quotes: quotes >= 3 ? 3 : 1)
            return hashes + (quotes >= 3 ? 3 : 1)
        }
    }

    private static func count(of character: Unicode.Scalar, _ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < text.count, text[index] == UInt8(ascii: character) { index += 1 }
        return index - start
    }
}
