/// The members of an object that is being encoded.
struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode

    var codingPath: [any CodingKey] { node.codingPath }
    private var state: EncodingState { node.state }

    func encodeNil(forKey key: Key) throws { try add(key) { state.null() } }
    func encode(_ value: Bool, forKey key: Key) throws { try add(key) { state.bool(value) } }
    func encode(_ value: String, forKey key: Key) throws { try add(key) { state.string(value) } }
    func encode(_ value: Double, forKey key: Key) throws { try add(key) { try state.float(value, path(key)) } }
    func encode(_ value: Float, forKey key: Key) throws { try add(key) { try state.float(value, path(key)) } }
    func encode(_ value: Int, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: Int8, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: Int16, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: Int32, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: Int64, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: UInt, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try add(key) { state.integer(value) } }
    func encode(_ value: Int128, forKey key: Key) throws { throw CodecProblem.wide.encoding(Int128.self, path(key)) }
    func encode(_ value: UInt128, forKey key: Key) throws { throw CodecProblem.wide.encoding(UInt128.self, path(key)) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try state.count(Value.self, node.path)
        try node.add(key.stringValue, value, key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedWriter<NestedKey>(node: node.nested(.object, key.stringValue, key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        UnkeyedWriter(node: node.nested(.array, key.stringValue, key))
    }

    func superEncoder() -> any Encoder {
        let key = SuperKey()
        return node.add(key.stringValue, key)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        node.add(key.stringValue, key)
    }

    private func path(_ key: Key) -> CodingPath { CodingPath(node.path, key) }

    private func add(_ key: Key, _ text: () throws -> Range<Int>) throws {
        try state.count(Key.self, node.path)
        node.add(key.stringValue, try text())
    }
}
