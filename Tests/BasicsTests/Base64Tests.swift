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
}
