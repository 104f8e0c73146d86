import Basics
import Testing

@Suite("Base64url")
struct Base64Tests {
    @Test(
        "encodes the RFC 4648 vectors without padding",
        arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")])
    func vectors(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test("refuses every other spelling", arguments: ["Zg==", "Zh", "Z", "Zm9v\n", "Zm+v", "Zm/v", "Zm 9v", "Zm8="])
    func refusals(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("in its standard form pads and refuses missing padding")
    func standard() {
        #expect(Base64.encode("fo".utf8) == "Zm8=")
        #expect(Base64.decode("Zm8=") == Array("fo".utf8))
        #expect(Base64.decode("Zm8") == nil)
        #expect(Base64.decode("Zm9=") == nil)
        #expect(Base64.decode("Z===") == nil)
    }

    @Test("reads back what it wrote, at every length", arguments: 0...70)
    func roundTrip(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 250) }
        let text = Base64URL.encode(bytes)
        #expect(text.utf8.count == (count * 8 + 5) / 6)
        #expect(Base64URL.decode(text) == bytes)
        #expect(Base64URL.decode(Array(text.utf8)[...]) == bytes)
        #expect(Base64URL.decode(Array(text.utf8).lazy.map { $0 }) == bytes)
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.encode(bytes).utf8.count == (count + 2) / 3 * 4)
    }

    @Test("reads and writes borrowed bytes alike", arguments: 0...50)
    func borrowed(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let text = Base64URL.encode(bytes)
        var room = [UInt8](repeating: 0, count: (count + 2) / 3 * 4)
        let written = room.withUnsafeMutableBufferPointer { room in
            bytes.withUnsafeBufferPointer { Base64URL.encode(borrowed: $0, into: room) }
        }
        #expect(String(decoding: room[..<written], as: UTF8.self) == text)
        #expect(Array(text.utf8).withUnsafeBufferPointer { Base64URL.decode(borrowed: $0) } == bytes)
        #expect(Array((text + "=").utf8).withUnsafeBufferPointer { Base64URL.decode(borrowed: $0) } == nil)
    }

    @Test("has one spelling only: of the last characters of a partial group, one in 16 or one in 4 decodes")
    func canonical() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        #expect(alphabet.filter { Base64URL.decode([UInt8(ascii: "A"), $0]) != nil }.count == 4)
        #expect(alphabet.filter { Base64URL.decode([UInt8(ascii: "A"), UInt8(ascii: "A"), $0]) != nil }.count == 16)
    }

    @Test("refuses every byte outside the alphabet, wherever it stands")
    func alphabet() {
        let valid = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for byte in UInt8.min...UInt8.max where !valid.contains(byte) {
            for position in 0..<7 {
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: 7)
                text[position] = byte
                #expect(Base64URL.decode(text) == nil)
            }
        }
    }
}
