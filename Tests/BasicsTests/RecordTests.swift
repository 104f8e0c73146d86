import Basics
import Testing

@Suite("A stored record")
struct RecordTests {
    private static func sample() -> [UInt8] {
        var writer = RecordWriter(version: 3)
        writer.write(UInt64.max)
        writer.write(Int64.min)
        writer.write(Timestamp(milliseconds: 1_700_000_000_123))
        writer.write(true)
        writer.write([0, 255, 128] as [UInt8])
        writer.write("grüß")
        writer.write(nil as String?)
        writer.write(["a", "b"]) { $0.write($1) }
        return writer.bytes
    }

    private static func read(_ bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 3)
        guard try reader.unsigned() == .max, try reader.signed() == .min,
            try reader.timestamp().milliseconds == 1_700_000_000_123, try reader.bool(),
            try reader.byteString() == [0, 255, 128], try reader.string() == "grüß",
            try reader.optional({ r throws(RecordReader.Malformed) in try r.string() }) == nil,
            try reader.list({ r throws(RecordReader.Malformed) in try r.string() }) == ["a", "b"]
        else { throw RecordReader.Malformed() }
        try reader.end()
    }

    @Test("is read as it was written")
    func roundTrip() throws {
        try Self.read(Self.sample())
    }

    @Test("is refused at every length but its own")
    func truncation() {
        let bytes = Self.sample()
        for length in 0..<bytes.count {
            #expect(throws: RecordReader.Malformed.self) { try Self.read(Array(bytes[..<length])) }
        }
        #expect(throws: RecordReader.Malformed.self) { try Self.read(bytes + [0]) }
    }

    @Test("lends a part of itself, and takes one")
    func slices() throws {
        var writer = RecordWriter(version: 1)
        writer.write([9, 1, 2, 9][1...2])
        writer.write([UInt8]()[...])
        var reader = try RecordReader(writer.bytes, version: 1)
        #expect(try reader.byteSlice() == [1, 2])
        #expect(try reader.byteSlice() == [])
        try reader.end()
        #expect(throws: RecordReader.Malformed.self) { try reader.byteSlice() }
        var short = try RecordReader([1, 2, 7], version: 1)
        #expect(throws: RecordReader.Malformed.self) { try short.byteSlice() }
    }

    @Test("of another version is refused")
    func version() {
        #expect(throws: RecordReader.Malformed.self) { try RecordReader([4, 0], version: 3) }
        #expect(throws: RecordReader.Malformed.self) { try RecordReader([], version: 3) }
    }

    @Test("with a false length reserves nothing and is refused")
    func falseLength() throws {
        var writer = RecordWriter(version: 1)
        writer.write(UInt64.max)
        var reader = try RecordReader(writer.bytes, version: 1)
        #expect(throws: RecordReader.Malformed.self) { try reader.byteString() }
        var list = try RecordReader(writer.bytes, version: 1)
        #expect(throws: RecordReader.Malformed.self) {
            try list.list { r throws(RecordReader.Malformed) in try r.bool() }
        }
    }
}
