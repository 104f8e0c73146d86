/// The cookies of a request, from its `Cookie` fields (RFC 6265 section 4.2).
///
/// Pairs without `=` have the name "". Nothing is decoded or unquoted: what the browser echoes is what was set.
public struct CookieHeader: Sendable, Equatable {
    /// One cookie.
    public struct Pair: Sendable, Equatable {
        /// The name as sent; case matters.
        public let name: Substring
        /// The value as sent.
        public let value: Substring
    }

    /// The cookies in the order sent, repeated names kept.
    public let pairs: [Pair]

    /// Reads one `Cookie` field.
    public init(_ field: String) {
        self.init([field])
    }

    /// Reads all `Cookie` fields of a request; there may be several (RFC 9113 section 8.2.3).
    public init(_ fields: [String]) {
        var pairs: [Pair] = []
        for field in fields {
            Self.forEach(in: field) { pairs.append(Pair(name: $0, value: $1)) }
        }
        self.pairs = pairs
    }

    /// How often the name occurs.
    public func count(_ name: String) -> Int {
        pairs.count { $0.name == name }
    }

    /// Every value of the name, in the order sent.
    public func values(_ name: String) -> [Substring] {
        pairs.filter { $0.name == name }.map(\.value)
    }

    /// The value when the name occurs exactly once; nil when it is missing or repeated.
    public func single(_ name: String) -> Substring? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// How often the name occurs in a field, and the value seen last; makes no list of the other cookies.
    public static func find(_ name: String, in field: String) -> (count: Int, value: Substring?) {
        var found = 0
        var last: Substring?
        forEach(in: field) { candidate, value in
            guard candidate == name else { return }
            found += 1
            last = value
        }
        return (found, last)
    }

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
    public var description: String { pairs.map { "\($0.name)=<secret>" }.joined(separator: "; ") }
    /// The names without their values.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
