extension EncodedNode: Encoder {
    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedWriter(node: open(.object)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedWriter(node: open(.array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension EncodedNode: SingleValueEncodingContainer {
    func encodeNil() throws { try become(state.null()) }
    func encode(_ value: Bool) throws { try become(state.bool(value)) }
    func encode(_ value: String) throws { try become(state.string(value)) }
    func encode(_ value: Double) throws { try become(state.float(value, path)) }
    func encode(_ value: Float) throws { try become(state.float(value, path)) }
    func encode(_ value: Int) throws { try become(state.integer(value)) }
    func encode(_ value: Int8) throws { try become(state.integer(value)) }
    func encode(_ value: Int16) throws { try become(state.integer(value)) }
    func encode(_ value: Int32) throws { try become(state.integer(value)) }
    func encode(_ value: Int64) throws { try become(state.integer(value)) }
    func encode(_ value: UInt) throws { try become(state.integer(value)) }
    func encode(_ value: UInt8) throws { try become(state.integer(value)) }
    func encode(_ value: UInt16) throws { try become(state.integer(value)) }
    func encode(_ value: UInt32) throws { try become(state.integer(value)) }
    func encode(_ value: UInt64) throws { try become(state.integer(value)) }
    func encode(_ value: Int128) throws { throw CodecProblem.wide.encoding(Int128.self, path) }
    func encode(_ value: UInt128) throws { throw CodecProblem.wide.encoding(UInt128.self, path) }

    func encode<Value: Encodable>(_ value: Value) throws {
        try state.enter(Value.self, path) { try value.encode(to: self) }
    }
}
