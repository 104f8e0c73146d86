import Foundation
import JSON
import Testing

@Suite("The JSON codec")
struct JSONCodecTests {
    @Test("writes what Foundation writes, and each reads the other's text", arguments: CodecSample.all)
    func foundation(_ sample: CodecSample) throws {
        #expect(try sample.ours() == sample.foundations())
        #expect(try sample.isReadAcross())
    }

    @Test("writes what is stored today in the same words")
    func stored() throws {
        // Texts that an earlier version of the program has put into records.
        #expect(try CodecSample.codec.text(of: Outer(list: [])) == Self.outer)
        #expect(try CodecSample.codec.decode(Outer.self, from: Self.outer) == Outer(list: []))
        let event = #"{"named":{"_0":"x","_1":{"Zebra":1,"apple":2,"flag":false,"text":"ß/\""}}}"#
        #expect(try CodecSample.codec.text(of: Event.named("x", Inner())) == event)
        #expect(try CodecSample.codec.text(of: "\u{0}\"x\u{7F}\u{2028}") == "\"\\u0000\\\"x\u{7F}\u{2028}\"")
    }

    private static let outer = """
        {"fraction":2,"inner":{"Zebra":1,"apple":2,"flag":false,"text":"ß/\\""},"list":[],\
        "maybe":{"Zebra":1,"apple":2,"flag":false,"text":""},"names":{"a":[],"b":[1,null]},"pairs":{"2":"♥"}}
        """

    @Test("gives the types of Foundation the form of their own conformance")
    func foundationTypes() throws {
        let codec = JSONCodec()
        let data = Data([1, 2, 255])
        #expect(try codec.text(of: data) == "[1,2,255]")
        #expect(try codec.decode(Data.self, from: "[1,2,255]") == data)
        #expect(throws: DecodingError.self) { try codec.decode(Data.self, from: #""AQL/""#) }
        let url = try #require(URL(string: "https://a.example/b"))
        #expect(try codec.text(of: url) == #"{"relative":"https://a.example/b"}"#)
        #expect(try codec.decode(URL.self, from: codec.encode(url)) == url)
        let decimal = try #require(Decimal(string: "1.10"))
        #expect(try codec.text(of: decimal).hasPrefix(#"{"exponent":-1,"isCompact":"#))
        #expect(try codec.decode(Decimal.self, from: codec.encode(decimal)) == decimal)
        #expect(try codec.text(of: Date(timeIntervalSinceReferenceDate: 1.5)) == "1.5")
    }

    @Test(
        "reads a whole number in every spelling",
        arguments: [("3", 3), ("3.0", 3), ("30e-1", 3), ("3E0", 3), ("-0", 0), (" 3 ", 3), ("1e2", 100)])
    func spellings(_ text: String, _ value: Int) throws {
        #expect(try JSONCodec().decode(Int.self, from: text) == value)
        #expect(try JSONCodec().decode(UInt8.self, from: text) == UInt8(value))
        #expect(try JSONCodec().decode([Int32].self, from: "[\(text)]") == [Int32(value)])
    }

    @Test("reads fractions to the nearest")
    func fractions() throws {
        #expect(try JSONCodec().decode(Double.self, from: "0.1000000000000000055511151231257827") == 0.1)
        #expect(try JSONCodec().decode(Double.self, from: "1e-400") == 0)
        #expect(try JSONCodec().decode(Double.self, from: "18446744073709551615") == 0x1p64)
        #expect(try JSONCodec().decode(Float.self, from: "0.1") == 0.1)
    }

    @Test("passes over members that the type does not ask for, in any order and with escaped names")
    func unknownMembers() throws {
        let text = #" {"x":[{}],"text":"t","appl\u0065":1,"y":null,"Zebra":0,"flag":true} "#
        #expect(try JSONCodec().decode(Inner.self, from: text) == Inner(flag: true, text: "t", Zebra: 0, apple: 1))
    }

    @Test("takes null and absent alike for what is optional")
    func absent() throws {
        let present = try JSONCodec().decode([String: Int?].self, from: #"{"a":null,"b":1}"#)
        #expect(present == ["a": nil, "b": 1])
        let text = #"{"inner":\#(try JSONCodec().text(of: Inner())),"list":[],"names":{},"pairs":{},"fraction":1"#
        #expect(try JSONCodec().decode(Outer.self, from: text + "}").maybe == nil)
        #expect(try JSONCodec().decode(Outer.self, from: text + #","maybe":null}"#).maybe == nil)
    }

    @Test("tells names apart that are only canonically equivalent")
    func exactNames() throws {
        struct Both: Codable, Equatable {
            enum CodingKeys: String, CodingKey {
                case composed = "\u{E9}"
                case decomposed = "e\u{301}"
            }
            var composed = 1
            var decomposed = 2
        }
        let text = try JSONCodec().text(of: Both())
        #expect(text == "{\"e\u{301}\":2,\"\u{E9}\":1}")
        #expect(try JSONCodec().decode(Both.self, from: text) == Both())
        #expect(throws: DecodingError.self) { try JSONCodec().decode(Both.self, from: "{\"\u{E9}\":1}") }
    }

    @Test("finds many members without a square of comparisons")
    func manyMembers() throws {
        struct Backwards: Decodable {
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var sum = 0
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                for key in container.allKeys.reversed() { sum += try container.decode(Int.self, forKey: key) }
            }
        }
        // Some seconds even in a debug build, were every name compared with every other.
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("name\($0)", $0) })
        let text = try JSONCodec().encode(many)
        #expect(try JSONCodec().decode([String: Int].self, from: text) == many)
        #expect(try JSONCodec().decode(Backwards.self, from: text).sum == 199_990_000)
    }
}
