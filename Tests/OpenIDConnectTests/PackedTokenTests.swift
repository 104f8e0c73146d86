import Basics
import TestSupport
import Testing

@testable import OpenIDConnect

@Suite("A stored token")
struct PackedTokenTests {
    /// A record of one token.
    private struct Row: RecordCodable {
        static let version: UInt8 = 1
        let token: PackedToken

        init(_ text: String) { token = PackedToken(Secret(text)) }
        init(from reader: inout RecordReader) throws(RecordError) { token = try PackedToken(from: &reader) }
        func write(into writer: inout RecordWriter) { token.write(into: &writer) }
    }

    private static let part = String(repeating: "eyJhbGciOiJSUzI1NiJ9", count: 20)

    @Test(
        "takes three quarters of a text of base64url",
        arguments: [
            part, "\(part).\(part).\(part)", "\(part)..\(part).\(part).\(part)", ".\(part)", "\(part).",
            "\(part).QQ.QUI",
            Array(repeating: part, count: 8).joined(separator: "."),
        ])
    func isPacked(text: String) throws {
        let row = Row(text)
        #expect(row.encoded.count <= text.utf8.count * 3 / 4 + 24)
        let read = try Row(decoding: row.encoded)
        #expect(read.token.token.reveal() == text)
        #expect(read.token == row.token)
    }

    @Test(
        "is any other text as it came",
        arguments: [
            "", ".", "..", "a", "QQ", "QR", "-", "access-ä", "\u{0}", "a b", "\(part)=", "\(part).QR", "\(part).QUJ",
            "\(part)A",
            "\(part)+/", "\(part)\n", Array(repeating: part, count: 9).joined(separator: "."),
            String(repeating: "QUJD", count: 22_000), "3fa85f64-5717-4562-b3fc-2c963f66afa6",
        ])
    func staysText(text: String) throws {
        let row = Row(text)
        #expect(row.encoded.count <= text.utf8.count + 5)
        #expect(try Row(decoding: row.encoded).token.token.reveal() == text)
    }

    @Test("has this form")
    func isForm() {
        let bytes = Row("QUJD.QUJD.QUJD.QUJDQUJDQUJD").encoded
        #expect(bytes == [UInt8](hex: "011b04000300030003000941424341424341424341424341424341" + "4243"))
    }

    @Test("has one form for one text, so that equal tokens have equal forms")
    func isEqual() {
        #expect(PackedToken(Secret(Self.part)) == PackedToken(Secret(Self.part)))
        #expect(PackedToken(Secret(Self.part + ".")) != PackedToken(Secret(Self.part)))
        #expect(PackedToken(Secret(Self.part + ".QQ")) != PackedToken(Secret(Self.part + ".Qg")))
    }

    @Test("that is cut or changed is malformed, or another token; never a crash")
    func isDamaged() throws {
        let bytes = Row("\(Self.part).QUJD.QQ").encoded
        // The version and the length of the record stand before the packed token.
        for count in 0..<bytes.count - 3 {
            let cut = [1] + length(count) + bytes[3..<3 + count]
            #expect(throws: RecordError.malformed) { try Row(decoding: cut) }
        }
        for parts: UInt8 in [2, 4, 9, 255] {
            var changed = bytes
            changed[3] = parts
            #expect(throws: RecordError.malformed) { try Row(decoding: changed) }
        }
        for text: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] {
            #expect(throws: RecordError.malformed) { try Row(decoding: [1, UInt8(text.count + 1), 0] + text) }
        }
        #expect(throws: RecordError.malformed) { try Row(decoding: [1, 0]) }
    }

    /// The length of a byte string as a record has it.
    private func length(_ count: Int) -> [UInt8] {
        count < 0x80 ? [UInt8(count)] : [UInt8(count & 0x7F) | 0x80, UInt8(count >> 7)]
    }
}
