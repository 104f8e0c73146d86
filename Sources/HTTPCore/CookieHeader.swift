internal import Basics

/// The cookies of a request, from its `Cookie` fields (RFC 6265 section 4.2).
///
/// Pairs without `=` have the name "". Nothing is decoded or unquoted: the browser returns exactly the value that was
/// set.
package struct CookieHeader: Sendable, Equatable {
    /// One cookie, with its name and its value.
    package struct Pair: Sendable, Equatable {
        /// The name as sent; case matters.
        package let name: Substring
        /// The value as sent.
        package let value: Substring
    }

    /// The cookies in the order sent, repeated names kept.
    package let pairs: [Pair]

    /// Reads one `Cookie` field.
    package init(_ field: String) {
        self.init([field])
    }

    /// Reads all `Cookie` fields of a request; there may be several (RFC 9113 section 8.2.3).
    package init(_ fields: [String]) {
        var pairs: [Pair] = []
        for field in fields {
            Self.forEach(in: field) { pairs.append(Pair(name: $0, value: $1)) }
        }
        self.pairs = pairs
    }

    /// The number of occurrences of the name.
    package func count(_ name: String) -> Int {
        pairs.count { $0.name.isSameText(as: name) }
    }

    /// Every value of the name, in the order sent.
    package func values(_ name: String) -> [Substring] {
        pairs.filter { $0.name.isSameText(as: name) }.map(\.value)
    }

    /// The value when the name occurs exactly once; nil when it is missing or repeated.
    package func single(_ name: String) -> Substring? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Finds two cookies in the bytes of a field, in one pass.
    ///
    /// It builds no list of other cookies, because every request that reads a session calls it.
    ///
    /// - Parameters:
    ///   - name: The name of the first cookie, a token.
    ///   - suffix: The name of the second cookie is `name` followed by this suffix.
    ///   - bytes: The bytes of the field.
    ///   - found: Called for each cookie: true if its name has the suffix, and the range of its value.
    package static func find(
        _ name: [UInt8], or suffix: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, _ found: (Bool, Range<Int>) -> Void
    ) {
        var at = 0
        while at < bytes.count {
            var end = at
            while end < bytes.count, bytes[end] != UInt8(ascii: ";") { end += 1 }
            var start = at
            at = end + 1
            while start < end, isBlank(bytes[start]) { start += 1 }
            guard var mark = skip(name, in: bytes, start, end) else { continue }
            let longer = skip(suffix, in: bytes, mark, end)
            mark = longer ?? mark
            while mark < end, isBlank(bytes[mark]) { mark += 1 }
            guard mark < end, bytes[mark] == UInt8(ascii: "=") else { continue }
            mark += 1
            while mark < end, isBlank(bytes[mark]) { mark += 1 }
            while mark < end, isBlank(bytes[end - 1]) { end -= 1 }
            found(longer != nil, mark..<end)
        }
    }

    /// The index after these bytes, if they are at this place.
    private static func skip(
        _ part: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
    ) -> Int? {
        guard start + part.count <= end else { return nil }
        for index in part.indices where bytes[start + index] != part[index] { return nil }
        return start + part.count
    }

    /// True if a text can be the value of one cookie: it has no separator and arrives unchanged.
    ///
    /// Stricter than user agents; blanks within the value, which section 4.1.1 forbids but servers set, are accepted.
    package static func isValue(_ text: String) -> Bool {
        let space = UInt8(ascii: " ")
        guard text.utf8.first != space, text.utf8.last != space else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\\"): false
            default: 0x20...0x7E ~= byte
            }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func forEach(in field: String, _ body: (Substring, Substring) -> Void) {
        let bytes = field.utf8
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
            let pair = trim(field[start..<end])
            if !pair.isEmpty {
                if let mark = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
                    body(trim(pair[..<mark]), trim(pair[pair.utf8.index(after: mark)...]))
                } else {
                    body("", pair)
                }
            }
            start = end < bytes.endIndex ? bytes.index(after: end) : end
        }
    }

    private static func trim(_ text: Substring) -> Substring {
        var (start, end) = (text.startIndex, text.endIndex)
        let bytes = text.utf8
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start = bytes.index(after: start) }
        while start < end {
            let before = bytes.index(before: end)
            guard bytes[before] == 0x20 || bytes[before] == 0x09 else { break }
            end = before
        }
        return text[start..<end]
    }
}

extension CookieHeader: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the names without their values.
    package var description: String { pairs.map { "\($0.name)=<secret>" }.joined(separator: "; ") }
    /// Shows the names without their values.
    package var debugDescription: String { description }
    /// An empty mirror, so that dumping the header prints no values.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
