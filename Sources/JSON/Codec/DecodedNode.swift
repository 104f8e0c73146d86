/// The state that all nodes of one decoding share.
final class DecodingState {
    private let maxCalls: Int
    private var calls = 0

    init(limits: JSONLimits) {
        maxCalls = limits.maxCalls
    }

    /// Runs a type's own `init(from:)`, which may hand the same value on for ever.
    func enter<Value>(_ path: CodingPath?, _ body: () throws -> Value) throws -> Value {
        guard calls < maxCalls else { throw CodecProblem.nesting.corrupted(path) }
        calls += 1
        defer { calls -= 1 }
        return try body()
    }
}

/// A value that is being decoded, and the decoder that its type is given.
final class DecodedNode {
    let value: JSONValue
    let path: CodingPath?
    let state: DecodingState

    init(_ value: JSONValue, path: CodingPath?, state: DecodingState) {
        self.value = value
        self.path = path
        self.state = state
    }
}

extension DecodedNode: Decoder {
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw value.mismatch(JSONObject.self, path) }
        return KeyedDecodingContainer(KeyedReader(members: MemberIndex(object), path: path, state: state))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw value.mismatch([JSONValue].self, path) }
        return UnkeyedReader(elements: elements, path: path, state: state)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension DecodedNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try value.boolean(path) }
    func decode(_ type: String.Type) throws -> String { try value.text(path) }
    func decode(_ type: Double.Type) throws -> Double { try value.float(path) }
    func decode(_ type: Float.Type) throws -> Float { try value.float(path) }
    func decode(_ type: Int.Type) throws -> Int { try value.integer(path) }
    func decode(_ type: Int8.Type) throws -> Int8 { try value.integer(path) }
    func decode(_ type: Int16.Type) throws -> Int16 { try value.integer(path) }
    func decode(_ type: Int32.Type) throws -> Int32 { try value.integer(path) }
    func decode(_ type: Int64.Type) throws -> Int64 { try value.integer(path) }
    func decode(_ type: UInt.Type) throws -> UInt { try value.integer(path) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value.integer(path) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value.integer(path) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value.integer(path) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value.integer(path) }
    func decode(_ type: Int128.Type) throws -> Int128 { throw CodecProblem.wide.corrupted(path) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { throw CodecProblem.wide.corrupted(path) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try state.enter(path) { try Value(from: self) }
    }
}
