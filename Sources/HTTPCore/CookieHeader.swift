internal import Basics

/// The cookies of a request, from its `Cookie` fields (RFC 6265 section 4.2).
///
/// Pairs without `=` have the name "". Nothing is decoded or unquoted: what the browser echoes is what was set.
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

    /// How often the name occurs.
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

    /// How often the name, a token, occurs in a field, and the value seen last; makes no list of the other cookies.
    package static func find(_ name: String, in field: String) -> (count: Int, value: Substring?) {
        var (name, field) = (name, field)
        let (count, range) = field.withUTF8 { bytes in name.withUTF8 { find($0, in: bytes) } }
        guard let range else { return (count, nil) }
        let start = field.utf8.index(field.startIndex, offsetBy: range.lowerBound)
        return (count, field[start..<field.utf8.index(start, offsetBy: range.count)])
    }

    /// The same in borrowed bytes: every request that reads a session does this.
    ///
    /// - Returns: How often the name occurs, and where the value seen last lies.
    package static func find(
        _ name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> (count: Int, value: Range<Int>?) {
        var found = 0
        var last: Range<Int>?
        var at = 0
        while at < bytes.count {
            var end = at
            while end < bytes.count, bytes[end] != UInt8(ascii: ";") { end += 1 }
            var start = at
            at = end + 1
            while start < end, isBlank(bytes[start]) { start += 1 }
            var mark = start + name.count
            guard mark < end else { continue }
            var same = 0
            while same < name.count, bytes[start + same] == name[same] { same += 1 }
            guard same == name.count else { continue }
            while mark < end, isBlank(bytes[mark]) { mark += 1 }
            guard mark < end, bytes[mark] == UInt8(ascii: "=") else { continue }
            mark += 1
            while mark < end, isBlank(bytes[mark]) { mark += 1 }
            while mark < end, isBlank(bytes[end - 1]) { end -= 1 }
            found += 1
            last = mark..<end
        }
        return (found, last)
    }

    /// Whether a text can be the value of one cookie: it ends none, begins none, and arrives as it is.
    ///
    /// Stricter than user agents are; blanks within, which section 4.1.1 forbids and servers set all the same, pass.
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
    /// The names without their values.
    package var description: String { pairs.map { "\($0.name)=<secret>" }.joined(separator: "; ") }
    /// The names without their values.
    package var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
