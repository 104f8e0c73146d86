/// The elements of an array that is being decoded; one that could not be read is not passed over.
struct UnkeyedReader: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let path: CodingPath?
    let state: DecodingState
    private(set) var currentIndex = 0

    init(elements: [JSONValue], path: CodingPath?, state: DecodingState) {
        self.elements = elements
        self.path = path
        self.state = state
    }

    var codingPath: [any CodingKey] { path.keys }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try value(Any?.self).isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.boolean($1()) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.text($1()) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.float($1()) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.float($1()) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer($1()) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer($1()) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer($1()) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next { throw CodecProblem.wide.corrupted($1()) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try next { throw CodecProblem.wide.corrupted($1()) }
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let state = state
        return try next { try $0.decode(type, $1(), state) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let state = state
        return try next { try DecodedNode($0, path: $1(), state: state).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let state = state
        return try next { try DecodedNode($0, path: $1(), state: state).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        let state = state
        return try next { DecodedNode($0, path: $1(), state: state) }
    }

    private func value(_ type: Any.Type) throws -> JSONValue {
        guard currentIndex < elements.count else {
            let path = CodingPath(path, IndexKey(currentIndex))
            throw DecodingError.valueNotFound(type, CodecProblem.end.context(path))
        }
        return elements[currentIndex]
    }

    /// Reads the next element and steps past it when that went well.
    @inline(__always)
    private mutating func next<Value>(_ read: (JSONValue, () -> CodingPath) throws -> Value) throws -> Value {
        let value = try value(Value.self)
        let (parent, index) = (path, currentIndex)
        let result = try read(value) { CodingPath(parent, IndexKey(index)) }
        currentIndex += 1
        return result
    }
}
