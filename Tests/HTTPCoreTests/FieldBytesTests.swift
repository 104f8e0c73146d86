import HTTPCore
import Testing

@Suite("The bytes of header fields")
struct FieldBytesTests {
    private func fields() throws -> HTTPFields {
        var fields: HTTPFields = [.accept: "a/b", "X-Empty": ""]
        let raw: [UInt8] = [0xFF, 0x80, 0x61]
        fields.append(try raw.withUnsafeBytes { try HTTPField("X-Raw", checking: $0) })
        try fields.set(.cookie, checking: "ü=" + String(repeating: "x", count: 100))
        return fields
    }

    @Test func `are lent in order, as they are sent`() throws {
        let fields = try fields()
        var seen: [UInt8] = []
        let isWhole = fields.forEachBytes { name, value in
            seen += Array(name) + [0x3A] + value + [0x0A]
            return true
        }
        #expect(isWhole)
        #expect(
            seen == Array("Accept:a/b\nX-Empty:\nX-Raw:".utf8) + [0xFF, 0x80, 0x61]
                + Array("\nCookie:ü=\(String(repeating: "x", count: 100))\n".utf8))
        #expect(fields.byteCount == seen.count - 2 * fields.count)
        #expect(fields.map(\.valueCount) == [3, 0, 3, 103])
    }

    @Test func `are lent no further once a field is refused`() throws {
        var count = 0
        let isWhole = try fields().forEachBytes { _, _ in
            count += 1
            return count < 2
        }
        #expect(!isWhole && count == 2)
        let isEmpty = HTTPFields().forEachBytes { _, _ in false }
        #expect(isEmpty && HTTPFields().byteCount == 0)
    }
}
