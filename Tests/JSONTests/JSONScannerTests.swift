import JSON
import Testing

@Suite("The JSON scanner")
struct JSONScannerTests {
    private func scan(_ text: String) throws -> JSONScanner { try JSONScanner(Array(text.utf8)) }

    @Test("finds top-level members without a tree")
    func members() throws {
        let text =
            #" {"iss":"https://a","exp":17.0,"ok":true,"n":null,"a":[1,{"iss":2}],"o":{"iss":3},"\u0065sc":"\n"} "#
        let scanner = try scan(text)
        #expect(scanner.kind == .object)
        #expect(scanner.names == ["iss", "exp", "ok", "n", "a", "o", "esc"])
        #expect(scanner.string("iss") == "https://a")
        #expect(scanner.int("exp") == 17)
        #expect(scanner.bool("ok") == true)
        #expect(scanner.string("esc") == "\n")
        #expect(scanner.range(of: "n").map { scanner.kind(at: $0) } == .null)
        let array = try #require(scanner.range(of: "a"))
        #expect(String(decoding: scanner.bytes[array], as: UTF8.self) == #"[1,{"iss":2}]"#)
        #expect(scanner.kind(at: array) == .array)
        #expect(try scanner.value(at: array)[1]?["iss"]?.int == 2)
        #expect(scanner.range(of: "o").map { scanner.kind(at: $0) } == .object)
        #expect(scanner.range(of: "exp").map { scanner.kind(at: $0) } == .number)
    }

    @Test("finds nothing of another name or kind")
    func misses() throws {
        let scanner = try scan(#"{"exp":"17","iss":5,"ok":"true","nested":{"sub":"x"},"f":1.5}"#)
        #expect(scanner.int("exp") == nil)
        #expect(scanner.string("iss") == nil)
        #expect(scanner.bool("ok") == nil)
        #expect(scanner.string("sub") == nil)
        #expect(scanner.int("f") == nil)
        #expect(scanner.range(of: "ex") == nil)
        #expect(scanner.range(of: "expp") == nil)
        #expect(scanner.range(of: "") == nil)
    }

    @Test("has no members in a document that is no object", arguments: ["[]", #"[{"a":1}]"#, "1", #""a""#, "null"])
    func otherKinds(_ text: String) throws {
        let scanner = try scan(text)
        #expect(scanner.names.isEmpty)
        #expect(scanner.range(of: "a") == nil)
    }

    @Test("sees two spellings of a name as one")
    func spellings() throws {
        #expect(try scan(#"{"\u0061":"x"}"#).string("a") == "x")
        #expect(try scan("{\"e\u{301}\":1}").int("\u{E9}") == nil)
    }
}

@Suite("The JSON writer")
struct JSONWriterTests {
    @Test("sets commas and quotes")
    func writes() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", "x\"\n\u{1}")
        writer.member("b")
        writer.beginArray()
        writer.int(1)
        writer.beginObject()
        writer.endObject()
        writer.bool(false)
        writer.null()
        writer.string("é")
        writer.raw(Array("[1,2]".utf8))
        writer.endArray()
        writer.member("c", -5)
        writer.member("d", true)
        writer.member("e", value: ["f": "y"])
        writer.endObject()
        let text = writer.text
        #expect(
            text == #"{"a":"x\"\n\u0001","b":[1,{},false,null,"é",[1,2]],"c":-5,"d":true,"e":{"f":"y"}}"#)
        let bytes = writer.bytes
        #expect(try JSONValue(parsing: text).serialized() == bytes)
    }

    @Test("escapes every control character so that it reads back", arguments: UInt8(0)..<0x20)
    func controls(_ byte: UInt8) throws {
        let text = "a" + String(Unicode.Scalar(byte)) + "b"
        let written = JSONValue.string(text).serialized()
        #expect(written.allSatisfy { $0 >= 0x20 })
        #expect(try JSONValue(parsing: written).string == text)
    }
}
