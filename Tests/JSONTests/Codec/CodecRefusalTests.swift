import JSON
import Testing

/// A text that a type cannot be read from.
struct CodecRefusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Decodes, which throws.
    let read: @Sendable () throws -> Void
    /// The case of the error and its coding path.
    let place: String

    init<Value: Decodable & Sendable>(_ type: Value.Type, _ text: String, _ place: String) {
        testDescription = "\(type) from \(text)"
        read = { _ = try JSONCodec().decode(type, from: text) }
        self.place = place
    }

    static let all: [CodecRefusal] = [
        CodecRefusal(Int.self, "\"7777\"", "mismatch "),
        CodecRefusal(Int.self, "true", "mismatch "),
        CodecRefusal(Int.self, "[]", "mismatch "),
        CodecRefusal(Int.self, "null", "null "),
        CodecRefusal(String.self, "7777", "mismatch "),
        CodecRefusal(Bool.self, "1", "mismatch "),
        CodecRefusal(Bool.self, "\"true\"", "mismatch "),
        CodecRefusal(Double.self, "\"NaN\"", "mismatch "),
        CodecRefusal([Int].self, "{}", "mismatch "),
        CodecRefusal([Int].self, "null", "null "),
        CodecRefusal([String: Int].self, "[]", "mismatch "),
        CodecRefusal(UInt8.self, "256", "corrupted "),
        CodecRefusal(UInt8.self, "-1", "corrupted "),
        CodecRefusal(Int64.self, "9223372036854775808", "corrupted "),
        CodecRefusal(UInt64.self, "18446744073709551616", "corrupted "),
        CodecRefusal(Int.self, "1.5", "corrupted "),
        CodecRefusal(Int.self, "1e99", "corrupted "),
        CodecRefusal(Double.self, "1e400", "corrupted "),
        CodecRefusal(Float.self, "1e39", "corrupted "),
        CodecRefusal([Int128].self, "[7777]", "corrupted 0"),
        CodecRefusal([String: UInt128].self, #"{"a":7777}"#, "corrupted a"),
        CodecRefusal([Int].self, "[1,\"7777\"]", "mismatch 1"),
        CodecRefusal([[Int8]].self, "[[],[1,7777]]", "corrupted 1,1"),
        CodecRefusal([String: [Bool]].self, #"{"a":[],"b":[true,"7777"]}"#, "mismatch b,1"),
        CodecRefusal([Int: Int].self, #"{"1":1,"7777x":2}"#, "mismatch 7777x"),
        CodecRefusal(Suit.self, "\"7777\"", "corrupted "),
        CodecRefusal([Suit].self, "[\"7777\"]", "corrupted 0"),
        CodecRefusal(Inner.self, #"{"flag":true,"text":"7777","Zebra":1}"#, "missing apple at "),
        CodecRefusal(Generic<Inner>.self, #"{"value":{"flag":true}}"#, "missing text at value"),
        CodecRefusal(Generic<Inner>.self, "{}", "missing value at "),
        CodecRefusal(Inner.self, #"{"flag":null,"text":"7777","Zebra":1,"apple":1}"#, "null flag"),
        CodecRefusal(Event.self, #"{"moved":{"x":1}}"#, "missing y at moved"),
        CodecRefusal(Event.self, #"{"moved":{"x":1,"y":2},"ended":{}}"#, "mismatch "),
        CodecRefusal(Event.self, #"{"7777":{}}"#, "mismatch "),
        CodecRefusal(Student.self, #"{"number":7777}"#, "null super"),
        CodecRefusal(Student.self, #"{"number":7777,"super":{}}"#, "missing name at super"),
        CodecRefusal(Pair.self, "[1]", "null 1"),
        CodecRefusal(Odd.self, "7777", "corrupted "),
        CodecRefusal(JSONValue.self, "\"[7777\"", "corrupted "),
    ]
}

struct Pair: Decodable, Sendable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        _ = try (container.decode(Int.self), container.decode(Int.self))
    }
}

/// Throws an error of its own, with the value in it.
struct Odd: Codable, Sendable {
    struct Secret: Error {
        let text: String
    }

    init() {}

    init(from decoder: any Decoder) throws {
        throw Secret(text: "\(try Int(from: decoder))")
    }

    func encode(to encoder: any Encoder) throws {
        throw Secret(text: "7777")
    }
}

@Suite("The JSON codec refuses")
struct CodecRefusalTests {
    @Test("what a type cannot be read from, says where, and shows no value", arguments: CodecRefusal.all)
    func reading(_ refusal: CodecRefusal) throws {
        let error = try #require(throws: DecodingError.self) { try refusal.read() }
        #expect(place(error) == refusal.place)
        // The keys of dictionaries are part of the path.
        if !refusal.place.contains("7777x") { #expect(!"\(error)".contains("7777")) }
        var dumped = ""
        dump(context(error).debugDescription, to: &dumped)
        #expect(!dumped.contains("7777"))
    }

    @Test(
        "what is no document",
        arguments: [
            ("", JSONError.syntax(offset: 0)), ("[1,]", .syntax(offset: 3)), ("[1] 2", .syntax(offset: 4)),
            ("[NaN]", .syntax(offset: 1)), (#"{"a":1,"a":2}"#, .duplicateName(offset: 7)),
            (#"["\uD800"]"#, .invalidUTF8(offset: 2)),
        ])
    func documents(_ text: String, _ cause: JSONError) throws {
        let error = try #require(throws: DecodingError.self) { try JSONCodec().decode([Int].self, from: text) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.underlyingError as? JSONError == cause)
        #expect(context.codingPath.isEmpty)
    }

    @Test("numbers that JSON has not, and says where")
    func numbers() throws {
        for value in [Double.infinity, -.infinity, .nan] {
            try expect(Generic(value: [1, value]), "value,1", Double.self)
            try expect(value, "", Double.self)
            try expect(["a": Float(value)], "a", Float.self)
            try expect(Wide(value: value), "value", Double.self)
        }
        try expect([Int128(7777)], "0", Int128.self)
        try expect(["a": UInt128(7777)], "a", UInt128.self)
        try expect(Generic(value: Int128(7777)), "value", Int128.self)
        try expect(Int128.max, "", Int128.self)
    }

    private struct Wide: Encodable {
        var value: Double
    }

    @Test("values that write nothing, write twice or throw errors of their own")
    func misuse() throws {
        struct Nothing: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        struct Twice: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(7777)
                try container.encode(7777)
            }
        }
        struct Both: Encodable {
            func encode(to encoder: any Encoder) throws {
                var first = encoder.unkeyedContainer()
                try first.encode(7777)
                var second = encoder.container(keyedBy: IndexedKey.self)
                try second.encode(7777, forKey: IndexedKey())
            }
        }
        try expect(Nothing(), "", Nothing.self)
        try expect([Twice()], "0", Any.self)
        try expect([Both()], "0", JSONObject.self)
        try expect(Odd(), "", Odd.self)
        #expect(try JSONCodec().text(of: [Nothing()]) == "[{}]")
    }

    private struct IndexedKey: CodingKey {
        var stringValue: String { "k" }
        var intValue: Int? { nil }
        init() {}
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    private func expect(_ value: some Encodable, _ path: String, _ type: Any.Type) throws {
        let error = try #require(throws: EncodingError.self) { try JSONCodec().encode(value) }
        guard case .invalidValue(let refused, let context) = error else {
            Issue.record(error)
            return
        }
        #expect(self.path(context.codingPath) == path)
        #expect(refused as? Any.Type == type)
        #expect(!"\(error)".contains("7777"))
    }

    private func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ",")
    }

    private func place(_ error: DecodingError) -> String {
        let path = path(context(error).codingPath)
        return switch error {
        case .typeMismatch: "mismatch \(path)"
        case .valueNotFound: "null \(path)"
        case .keyNotFound(let key, _): "missing \(key.stringValue) at \(path)"
        case .dataCorrupted: "corrupted \(path)"
        @unknown default: "unknown"
        }
    }

    private func context(_ error: DecodingError) -> DecodingError.Context {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
        }
    }
}
