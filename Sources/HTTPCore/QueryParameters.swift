internal import Basics

/// Names and values of a query or of a form body, in order; a name may occur several times.
public struct QueryParameters: Sendable, Equatable {
    /// The pairs, decoded.
    public private(set) var pairs: [(name: String, value: String)] = []

    /// Makes an empty list.
    public init() {}

    /// Parses the pairs of a query or form body; nil when an escape is bad or the text has more than `limit` pairs.
    public init?<Text: StringProtocol>(parsing text: Text, limit: Int = 256) where Text.SubSequence == Substring {
        for part in text.split(byte: "&") {
            let halves = part.split(byte: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < limit, let name = PercentEncoding.decode(halves[0], plusIsSpace: true),
                let value = halves.count == 2 ? PercentEncoding.decode(halves[1], plusIsSpace: true) : ""
            else { return nil }
            pairs.append((name, value))
        }
    }

    /// Adds a pair at the end.
    public mutating func append(_ name: String, _ value: String) {
        pairs.append((name, value))
    }

    /// The value when the name occurs exactly once; nil when it is missing or repeated.
    public func single(_ name: String) -> String? {
        let values = all(name)
        return values.count == 1 ? values[0] : nil
    }

    /// All values of a name, in order.
    public func all(_ name: String) -> [String] {
        pairs.filter { $0.name.isSameText(as: name) }.map(\.value)
    }

    /// The first name that occurs more than once.
    public var firstRepeatedName: String? {
        var seen = Set<String>()
        return pairs.first { !seen.insert($0.name).inserted }?.name
    }

    /// The pairs encoded both for `application/x-www-form-urlencoded` and for a query: every byte outside `unreserved`
    /// is percent-encoded, spaces as `%20`.
    public var encoded: String {
        pairs.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// True if both have the same pairs in the same order.
    public static func == (left: QueryParameters, right: QueryParameters) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0.name.isSameText(as: $1.name) && $0.value.isSameText(as: $1.value) }
    }
}
