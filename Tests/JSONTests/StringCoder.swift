/// What a `StringCoder` holds.
final class StringBox {
    var text = ""
}

/// A coder for one string; every other request fails.
struct StringCoder: Encoder, Decoder, SingleValueEncodingContainer, SingleValueDecodingContainer {
    struct Unsupported: Error {}

    let box: StringBox
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { fatalError("unsupported") }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("unsupported") }
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw Unsupported() }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unsupported() }

    func encodeNil() throws { throw Unsupported() }
    func encode(_ value: some Encodable) throws {
        guard let text = value as? String else { throw Unsupported() }
        box.text = text
    }
    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let value = box.text as? Value else { throw Unsupported() }
        return value
    }
}
