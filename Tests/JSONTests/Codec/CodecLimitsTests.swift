import JSON
import Testing

@Suite("The limits of the JSON codec")
struct CodecLimitsTests {
    private func codec(_ bytes: Int = 1 << 20, depth: Int = 64, members: Int = 50_000) -> JSONCodec {
        JSONCodec(limits: JSONLimits(maxBytes: bytes, maxDepth: depth, maxMembers: members))
    }

    @Test(
        "allow the depth they name and refuse one more, in both directions", arguments: [1, 5, 64, JSONLimits.deepest])
    func depth(_ depth: Int) throws {
        let codec = codec(depth: depth)
        let text = try codec.encode(Chain(length: depth))
        #expect(try codec.decode(Chain.self, from: text).length == depth)
        #expect(throws: EncodingError.self) { try codec.encode(Chain(length: depth + 1)) }
        let deeper = [UInt8]("{\"next\":".utf8) + text + [UInt8(ascii: "}")]
        #expect(throws: DecodingError.self) { try codec.decode(Chain.self, from: deeper) }
    }

    @Test("allow no brackets at all when they say so")
    func flat() throws {
        #expect(try codec(depth: 0).text(of: 1) == "1")
        #expect(throws: EncodingError.self) { try codec(depth: 0).encode([Int]()) }
        #expect(throws: DecodingError.self) { try codec(depth: 0).decode([Int].self, from: "[]") }
    }

    @Test("end a type that hands itself on for ever")
    func endless() {
        struct Single: Codable {
            init() {}
            init(from decoder: any Decoder) throws { self = try decoder.singleValueContainer().decode(Single.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(self)
            }
        }
        struct Nested: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(self)
            }
        }
        struct ByHand: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for _ in 0..<20_000 { container = container.nestedUnkeyedContainer() }
            }
        }
        struct Above: Encodable {
            func encode(to encoder: any Encoder) throws {
                var encoder = encoder
                for _ in 0..<20_000 {
                    var container = encoder.unkeyedContainer()
                    encoder = container.superEncoder()
                }
            }
        }
        for value in [Single(), Nested(), ByHand(), Above()] as [any Encodable] {
            #expect(throws: EncodingError.self) { try codec(depth: JSONLimits.deepest).encode(value) }
        }
        #expect(throws: DecodingError.self) { try codec(depth: JSONLimits.deepest).decode(Single.self, from: "1") }
    }

    @Test("allow what wraps a value at every level")
    func wrappers() throws {
        typealias One = Generic<[Wrapped?]>
        let value = Generic(value: Generic(value: One(value: [Wrapped(text: "x"), nil])))
        let codec = codec(depth: 4)
        #expect(try codec.decode(from: codec.encode(value)) == value)
        #expect(throws: EncodingError.self) { try self.codec(depth: 3).encode(value) }
    }

    @Test("count bytes, of the text and while it grows")
    func bytes() throws {
        #expect(try codec(4).text(of: [12]) == "[12]")
        #expect(throws: EncodingError.self) { try codec(4).encode([123]) }
        #expect(throws: EncodingError.self) { try codec(6).encode(Generic(value: 1)) }
        #expect(throws: EncodingError.self) { try codec(100).encode(Array(repeating: "abcdefgh", count: 1000)) }
        #expect(throws: DecodingError.self) { try codec(4).decode([Int].self, from: "[123]") }
    }

    @Test("count members and elements of the whole value, of every kind")
    func members() throws {
        #expect(try codec(members: 4).text(of: [[1], [2]]) == "[[1],[2]]")
        for value in [[[1], [2], []], [[1, 2, 3, 4]], [["a"], ["b"], ["c"]]] as [any Encodable] {
            #expect(throws: EncodingError.self) { try codec(members: 4).encode(value) }
        }
        #expect(throws: EncodingError.self) { try codec(members: 3).encode(Inner()) }
        #expect(throws: EncodingError.self) { try codec(members: 5).encode(ByHand()) }
        #expect(throws: DecodingError.self) { try codec(members: 4).decode([[Int]].self, from: "[[1],[2],[3]]") }
    }
}
