/// The elements of an array that is being encoded.
struct UnkeyedWriter: UnkeyedEncodingContainer {
    let node: EncodedNode

    var codingPath: [any CodingKey] { node.codingPath }
    var count: Int { node.entries.count }
    private var state: EncodingState { node.state }

    func encodeNil() throws { try add { state.null() } }
    func encode(_ value: Bool) throws { try add { state.bool(value) } }
    func encode(_ value: String) throws { try add { state.string(value) } }
    func encode(_ value: Double) throws { try add { try state.float(value, path) } }
    func encode(_ value: Float) throws { try add { try state.float(value, path) } }
    func encode(_ value: Int) throws { try add { state.integer(value) } }
    func encode(_ value: Int8) throws { try add { state.integer(value) } }
    func encode(_ value: Int16) throws { try add { state.integer(value) } }
    func encode(_ value: Int32) throws { try add { state.integer(value) } }
    func encode(_ value: Int64) throws { try add { state.integer(value) } }
    func encode(_ value: UInt) throws { try add { state.integer(value) } }
    func encode(_ value: UInt8) throws { try add { state.integer(value) } }
    func encode(_ value: UInt16) throws { try add { state.integer(value) } }
    func encode(_ value: UInt32) throws { try add { state.integer(value) } }
    func encode(_ value: UInt64) throws { try add { state.integer(value) } }
    func encode(_ value: Int128) throws { throw CodecProblem.wide.encoding(Int128.self, path) }
    func encode(_ value: UInt128) throws { throw CodecProblem.wide.encoding(UInt128.self, path) }

    func encode<Value: Encodable>(_ value: Value) throws {
        try state.count(Value.self, node.path)
        try node.add("", value, IndexKey(count))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(KeyedWriter<NestedKey>(node: node.nested(.object, "", IndexKey(count))))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedWriter(node: node.nested(.array, "", IndexKey(count)))
    }

    func superEncoder() -> any Encoder {
        node.add("", IndexKey(count))
    }

    private var path: CodingPath { CodingPath(node.path, IndexKey(count)) }

    private func add(_ text: () throws -> Range<Int>) throws {
        try state.count(Any.self, node.path)
        node.add("", try text())
    }
}
