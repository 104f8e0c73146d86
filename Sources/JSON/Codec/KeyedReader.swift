/// The members of an object that is being decoded.
struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: MemberIndex
    let path: CodingPath?
    let state: DecodingState

    var codingPath: [any CodingKey] { path.keys }
    var allKeys: [Key] { members.members.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { members.value(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).boolean(path(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).text(path(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).float(path(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).float(path(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).integer(path(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).integer(path(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).integer(path(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).integer(path(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).integer(path(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).integer(path(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).integer(path(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).integer(path(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).integer(path(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).integer(path(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { throw CodecProblem.wide.corrupted(path(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        throw CodecProblem.wide.corrupted(path(key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).decode(type, path(key), state)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try node(value(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try node(value(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = SuperKey()
        return node(members.value(key.stringValue) ?? .null, key)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        node(members.value(key.stringValue) ?? .null, key)
    }

    private func value(_ key: Key) throws -> JSONValue {
        guard let value = members.value(key.stringValue) else {
            throw DecodingError.keyNotFound(key, CodecProblem.missing.context(path))
        }
        return value
    }

    private func path(_ key: any CodingKey) -> CodingPath { CodingPath(path, key) }

    private func node(_ value: JSONValue, _ key: any CodingKey) -> DecodedNode {
        DecodedNode(value, path: path(key), state: state)
    }
}
