import Testing

@testable import Basics

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

    private static func read(_ bytes: [UInt8]) throws(RecordError) {
        var reader = try RecordReader(bytes, versions: 3...3)
        guard try reader.unsigned() == .max, try reader.signed() == .min,
            try reader.timestamp().milliseconds == 1_700_000_000_123, try reader.bool(),
            try reader.byteString() == [0, 255, 128], try reader.string() == "grüß",
            try reader.optional({ r throws(RecordError) in try r.string() }) == nil,
            try reader.list({ r throws(RecordError) in try r.string() }) == ["a", "b"]
        else { throw .malformed }
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
            #expect(throws: RecordError.malformed) { try Self.read(Array(bytes[..<length])) }
        }
        #expect(throws: RecordError.malformed) { try Self.read(bytes + [0]) }
    }

    @Test("lends a part of itself, and takes one")
    func slices() throws {
        var writer = RecordWriter(version: 1)
        writer.write([9, 1, 2, 9][1...2])
        writer.write([UInt8]()[...])
        var reader = try RecordReader(writer.bytes, versions: 1...1)
        #expect(try reader.byteSlice() == [1, 2])
        #expect(try reader.byteSlice() == [])
        try reader.end()
        #expect(throws: RecordError.malformed) { try reader.byteSlice() }
        var short = try RecordReader([1, 2, 7], versions: 1...1)
        #expect(throws: RecordError.malformed) { try short.byteSlice() }
    }

    @Test("of another version is refused")
    func version() {
        #expect(throws: RecordError.newer(4)) { try RecordReader([4, 0], versions: 2...3) }
        #expect(throws: RecordError.older(1)) { try RecordReader([1, 0], versions: 2...3) }
        #expect(throws: RecordError.malformed) { try RecordReader([], versions: 2...3) }
        for version in 2...3 as ClosedRange<UInt8> {
            #expect((try? RecordReader([version], versions: 2...3))?.version == version)
        }
    }

    @Test("with a false length reserves nothing and is refused")
    func falseLength() throws {
        var writer = RecordWriter(version: 1)
        writer.write(UInt64.max)
        var reader = try RecordReader(writer.bytes, versions: 1...1)
        #expect(throws: RecordError.malformed) { try reader.byteString() }
        var list = try RecordReader(writer.bytes, versions: 1...1)
        #expect(throws: RecordError.malformed) {
            try list.list { r throws(RecordError) in try r.bool() }
        }
    }
}
