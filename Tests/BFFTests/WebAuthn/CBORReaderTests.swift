import TestSupport
import Testing

@testable import BFF

@Suite("A member of a CBOR map")
struct CBORReaderTests {
    private func read(_ bytes: [UInt8]) -> [UInt8]? {
        CBORReader.byteString("authData", inMap: bytes[...]).map { Array($0) }
    }

    @Test func `is found among any others`() {
        let others: CBOR = [
            "fmt": "packed", "attStmt": ["alg": -7, "x5c": [.bytes(Array(repeating: 7, count: 300))], "n": 70_000],
            1: 2, "authData": .bytes([1, 2, 3]), "z": [[], [:]],
        ]
        #expect(read(others.encoded) == [1, 2, 3])
        #expect(read(CBOR.map([("authData", .bytes([]))]).encoded) == [])
        // A tag, a float, a simple value, a length in eight bytes.
        let odd: [UInt8] = [0xA4, 0x61, 0x61, 0xC1, 0x00, 0x61, 0x62, 0xFB, 1, 2, 3, 4, 5, 6, 7, 8, 0x61, 0x63, 0xF6]
        #expect(read(odd + [0x68] + Array("authData".utf8) + [0x5B, 0, 0, 0, 0, 0, 0, 0, 1, 9]) == [9])
    }

    @Test func `is found once or not at all`() {
        let data: (CBOR, CBOR) = ("authData", .bytes([1]))
        #expect(read(CBOR.map([data, data]).encoded) == nil)
        #expect(read(CBOR.map([("authdata", .bytes([1]))]).encoded) == nil)
        #expect(read(CBOR.map([(.bytes(Array("authData".utf8)), .bytes([1]))]).encoded) == nil)
        #expect(read(CBOR.map([("authData", "text")]).encoded) == nil)
        #expect(read(CBOR.list([.map([data])]).encoded) == nil)
        #expect(read(CBOR.map([("x", .map([data]))]).encoded) == nil)
    }

    @Test func `is not read out of bytes that end early, go on, or are nested too deeply`() {
        let whole = CBOR.map([("authData", .bytes([1, 2, 3])), ("fmt", "none")]).encoded
        #expect(read(whole) != nil && read(whole + [0]) == nil)
        for count in 0..<whole.count { #expect(read(Array(whole.prefix(count))) == nil) }
        func nested(_ depth: Int) -> [UInt8] {
            var item: CBOR = []
            for _ in 0..<depth { item = .list([item]) }
            return CBOR.map([("x", item), ("authData", .bytes([1]))]).encoded
        }
        #expect(read(nested(6)) != nil && read(nested(8)) == nil && read(nested(5000)) == nil)
    }

    @Test(arguments: [
        // Indefinite lengths, reserved heads, counts and lengths beyond all bytes.
        "BFFF", "A1616100BF", "A161615F4101FF", "FF", "BC", "BB7FFFFFFFFFFFFFFF", "BBFFFFFFFFFFFFFFFF",
        "A16161BBFFFFFFFFFFFFFFFF", "A161619BFFFFFFFFFFFFFFFF", "A161615BFFFFFFFFFFFFFFFF", "A161617AFFFFFFFF",
        "A161619AFFFFFFFF",
        "",
    ])
    func `is not read out of what no authenticator writes`(hex: String) {
        #expect(read([UInt8](hex: hex)) == nil)
    }
}
