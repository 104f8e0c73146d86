/// A value that is being encoded, and the encoder that it is given.
///
/// The text is put together at the end, when members can be sorted: containers may be open beside each other until then.
final class EncodedNode {
    enum Content {
        case nothing
        case single(Range<Int>)
        case array
        case object
    }

    enum Piece {
        case single(Range<Int>)
        case node(EncodedNode)
    }

    /// An element, or a member with its name.
    struct Entry {
        let name: String
        let piece: Piece
    }

    let state: EncodingState
    let path: CodingPath?
    /// How many brackets are open around this value.
    let depth: Int
    private(set) var content = Content.nothing
    private(set) var entries: [Entry] = []
    /// Containers that were opened by name: opened again, they go on.
    private var opened: [[UInt8]: EncodedNode] = [:]

    init(_ state: EncodingState, path: CodingPath?, depth: Int) {
        self.state = state
        self.path = path
        self.depth = depth
    }

    /// Becomes an array or an object, or goes on as one; another node, whose content is lost, when it cannot.
    func open(_ kind: CodecContainer) -> EncodedNode {
        switch (content, kind) {
        case (.array, .array), (.object, .object): return self
        case (.nothing, _):
            if depth < state.limits.maxDepth {
                content = kind == .array ? .array : .object
                return self
            }
            state.note(CodecProblem.nesting.encoding(kind.type, path))
        default:
            state.note(CodecProblem.twice.encoding(kind.type, path))
        }
        let ignored = EncodedNode(state, path: path, depth: depth)
        ignored.content = kind == .array ? .array : .object
        return ignored
    }

    /// Becomes a single value.
    func become(_ text: Range<Int>) throws {
        guard case .nothing = content else { throw CodecProblem.twice.encoding(Any.self, path) }
        content = .single(text)
    }

    /// Adds a single value.
    func add(_ name: String, _ text: Range<Int>) {
        entries.append(Entry(name: name, piece: .single(text)))
    }

    /// Adds what a value makes of itself.
    func add<Value: Encodable>(_ name: String, _ value: Value, _ key: @autoclosure () -> any CodingKey) throws {
        if let text = try state.common(value, CodingPath(path, key())) { return add(name, text) }
        let child = child(key())
        try state.enter(Value.self, child.path) { try value.encode(to: child) }
        if case .single(let text) = child.content {
            add(name, text)
        } else {
            entries.append(Entry(name: name, piece: .node(child)))
        }
    }

    /// Adds a value that is filled in later.
    func add(_ name: String, _ key: any CodingKey) -> EncodedNode {
        let child = child(key)
        do {
            try state.count(Any.self, child.path)
            entries.append(Entry(name: name, piece: .node(child)))
        } catch {
            state.note(CodecProblem.encoding(error, of: Any.self))
        }
        return child
    }

    /// Adds a container, or finds the one that was added under this name.
    func nested(_ kind: CodecContainer, _ name: String, _ key: any CodingKey) -> EncodedNode {
        guard case .object = content else { return add(name, key).open(kind) }
        let bytes = Array(name.utf8)
        let node = opened[bytes] ?? add(name, key)
        opened[bytes] = node
        return node.open(kind)
    }

    private func child(_ key: any CodingKey) -> EncodedNode {
        // After a fault nothing is kept, and no path grows that would be as long as the value is deep.
        EncodedNode(state, path: state.failure == nil ? CodingPath(path, key) : path, depth: depth + 1)
    }
}

/// The kinds of containers that a node can be.
enum CodecContainer {
    case array
    case object

    /// The type that represents the container in errors.
    var type: Any.Type { self == .array ? [JSONValue].self : JSONObject.self }
}
