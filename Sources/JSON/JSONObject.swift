/// The members of a JSON object in their order, each name once.
///
/// Look-up walks the members: objects on the wire are small, and a walk over twenty names costs less than hashing one. What
/// was parsed stays in the bytes it came in; a member is made of them each time it is asked for.
public struct JSONObject: Sendable {
    /// A name with its value.
    public typealias Member = (name: String, value: JSONValue)

    /// A member as it is kept: of a tuple the runtime asks anew, for each one, how it is copied and destroyed.
    struct Entry: Sendable {
        let name: String
        var value: JSONValue
    }

    /// Where the members are.
    enum Storage: Sendable {
        /// Put together here.
        case made([Entry])
        /// In a document that was parsed, with the number of the object there.
        case read(JSONSource, UInt32)
    }

    private(set) var storage: Storage

    /// Makes an object without members.
    public init() {
        storage = .made([])
    }

    /// Members in the order given; a repeated name takes its last value.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init()
        reserveCapacity(members.underestimatedCount)
        for (name, value) in members { self[name] = value }
    }

    /// An object of a document that was parsed.
    init(_ source: JSONSource, at index: Int) {
        storage = .read(source, UInt32(truncatingIfNeeded: index))
    }

    /// The number of members.
    public var count: Int {
        switch storage {
        case .made(let members): members.count
        case .read(let source, let index): source.count(of: Int(index))
        }
    }

    /// True if the object has no members.
    public var isEmpty: Bool { count == 0 }

    /// The names in order.
    public var names: [String] { map(\.name) }

    /// The value of a member, nil when there is none of that name (`.null` is a value).
    ///
    /// Setting replaces the value in its place or appends the member; setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get {
            switch storage {
            case .made(let members): Self.position(of: name, in: members).map { members[$0].value }
            case .read(let source, let index): source.find(name, in: Int(index)).map { source.value($0 + 1) }
            }
        }
        set {
            change { members in
                switch (Self.position(of: name, in: members), newValue) {
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
    }

    /// All members, made of the document where they are in one.
    var entries: [Entry] {
        switch storage {
        case .made(let members): members
        case .read: map { Entry(name: $0.name, value: $0.value) }
        }
    }

    /// Appends a member unless there is one of that name.
    package mutating func add(_ name: String, _ value: JSONValue) {
        change { members in
            if Self.position(of: name, in: members) == nil { members.append(Entry(name: name, value: value)) }
        }
    }

    /// Makes room for so many members in all.
    package mutating func reserveCapacity(_ count: Int) {
        change { $0.reserveCapacity(count) }
    }

    /// Changes the members in their place; those of a document are made first.
    private mutating func change(_ body: (inout [Entry]) -> Void) {
        var members = entries
        // The array must have no other owner, or changing it would copy it.
        storage = .made([])
        body(&members)
        storage = .made(members)
    }

    private static func position(of name: String, in members: [Entry]) -> Int? {
        // In place: an iteration would copy each member to look at its name.
        members.withUnsafeBufferPointer { members in
            let count = name.utf8.count
            for index in members.indices
            where members[index].name.utf8.count == count && sameBytes(members[index].name, name) {
                return index
            }
            return nil
        }
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    public func makeIterator() -> Iterator {
        switch storage {
        case .made(let members): Iterator(storage: storage, place: 0, left: members.count)
        case .read(let source, let index):
            Iterator(storage: storage, place: Int(index) + 1, left: source.count(of: Int(index)))
        }
    }

    /// A walk over the members.
    public struct Iterator: IteratorProtocol, Sendable {
        fileprivate let storage: Storage
        fileprivate var place: Int
        fileprivate var left: Int

        /// The next member; nil after the last one.
        public mutating func next() -> Member? {
            guard left > 0 else { return nil }
            left -= 1
            switch storage {
            case .made(let members):
                let entry = members[place]
                place += 1
                return (entry.name, entry.value)
            case .read(let source, _):
                let (member, following) = source.member(place)
                place = following
                return member
            }
        }
    }

    /// The number of members.
    public var underestimatedCount: Int { count }
}

extension JSONObject: Equatable {
    /// Equal when both have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        // Mostly the order is the same too; only otherwise look-ups are needed, of many members by a table.
        var table: [[UInt8]: JSONValue]?
        for (member, other) in zip(left, right) {
            if sameBytes(member.name, other.name) {
                guard member.value == other.value else { return false }
                continue
            }
            if table == nil, right.count > 16 {
                table = Dictionary(right.map { (Array($0.name.utf8), $0.value) }) { first, _ in first }
            }
            let found = table.map { $0[Array(member.name.utf8)] } ?? right[member.name]
            guard let found, member.value == found else { return false }
        }
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the order written; a repeated name takes its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        reserveCapacity(Swift.max(elements.count, 6))
        for (name, value) in elements { self[name] = value }
    }
}
