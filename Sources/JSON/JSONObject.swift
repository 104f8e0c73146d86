/// The members of a JSON object in their order, each name once.
///
/// Look-up walks the members: objects on the wire are small, and a walk over twenty names costs less than hashing one.
public struct JSONObject: Sendable {
    /// A name with its value.
    public typealias Member = (name: String, value: JSONValue)

    /// A member as it is kept: of a tuple the runtime asks anew, for each one, how it is copied and destroyed.
    struct Entry: Sendable {
        let name: String
        var value: JSONValue
    }

    private(set) var members: [Entry]

    /// Makes an object without members.
    public init() {
        members = []
    }

    /// Members in the order given; a repeated name takes its last value.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init()
        self.members.reserveCapacity(members.underestimatedCount)
        for (name, value) in members { self[name] = value }
    }

    /// Members that the caller knows to have different names.
    init(unchecked members: [Entry]) {
        self.members = members
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names in order.
    public var names: [String] { members.map(\.name) }

    /// The value of a member, nil when there is none of that name (`.null` is a value).
    ///
    /// Setting replaces the value in its place or appends the member; setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get {
            position(name).map { members[$0].value }
        }
        set {
            switch (position(name), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?):
                // Objects that are put together have a few members, hardly ever one.
                if members.isEmpty { members.reserveCapacity(6) }
                members.append(Entry(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Appends a member unless there is one of that name.
    package mutating func add(_ name: String, _ value: JSONValue) {
        if position(name) == nil { members.append(Entry(name: name, value: value)) }
    }

    /// Makes room for so many members in all.
    package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    private func position(_ name: String) -> Int? {
        members.firstIndex { sameBytes($0.name, name) }
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    public func makeIterator() -> Iterator { Iterator(entries: members.makeIterator()) }

    /// A walk over the members.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate var entries: IndexingIterator<[Entry]>

        /// The next member; nil after the last one.
        public mutating func next() -> Member? { entries.next().map { ($0.name, $0.value) } }
    }

    /// The number of members.
    public var underestimatedCount: Int { members.count }
}

extension JSONObject: Equatable {
    /// Equal when both have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        for (position, member) in left.members.enumerated() {
            // Mostly the order is the same too; only otherwise a look-up is needed.
            let other = right.members[position]
            if sameBytes(member.name, other.name) {
                guard member.value == other.value else { return false }
            } else {
                guard let value = right[member.name], member.value == value else { return false }
            }
        }
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the order written; a repeated name takes its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        members.reserveCapacity(Swift.max(elements.count, 6))
        for (name, value) in elements { self[name] = value }
    }
}
