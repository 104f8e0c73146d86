import Basics
import OpenIDConnect
import TestSupport
import Testing

@Suite("A token set")
struct TokenSetTests {
    static let full = with(sessionEnd: Timestamp(seconds: 1_767_240_000), whole)

    private static func with(sessionEnd: Timestamp, _ tokens: TokenSet) -> TokenSet {
        var tokens = tokens
        tokens.sessionEnd = sessionEnd
        return tokens
    }

    private static let whole = TokenSet(
        accessToken: Secret("access-ä"), tokenType: "Bearer", refreshToken: Secret("refresh"), idToken: Secret("id"),
        scopes: ["openid", "profile"], issuedAt: Timestamp(milliseconds: 1_767_225_600_123),
        expiresAt: Timestamp(seconds: 1_767_229_200), issuer: "https://am.example.com", clientID: "bff",
        subject: "(usr!demo)", acr: "gold", amr: ["pwd", "otp"], authTime: Timestamp(seconds: -1), authLevel: 3,
        sessionID: "s-1")

    static let bare = TokenSet(
        accessToken: Secret("a"), tokenType: nil, scopes: [], issuedAt: Timestamp(milliseconds: 0), expiresAt: nil,
        issuer: "i", clientID: "c", subject: "s")

    @Test("is stored and read back unchanged", arguments: [full, bare])
    func roundTrip(tokens: TokenSet) throws {
        let bytes = tokens.encoded
        #expect(bytes.first == 2)
        #expect(try TokenSet(decoding: bytes) == tokens)
    }

    @Test("that was cut short, prolonged or of another version is not read", arguments: [full, bare])
    func damaged(tokens: TokenSet) {
        let bytes = tokens.encoded
        for count in bytes.indices {
            #expect(throws: RecordError.malformed) { try TokenSet(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: RecordError.malformed) { try TokenSet(decoding: bytes + [0]) }
        for version in [0, 3, 255] as [UInt8] {
            let error = version == 0 ? RecordError.older(0) : .newer(version)
            #expect(throws: error) { try TokenSet(decoding: [version] + bytes.dropFirst()) }
        }
    }

    @Test("with any byte changed is another one or none, and never a crash")
    func fuzzed() {
        let bytes = Self.full.encoded
        for position in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where bytes[position] != value {
                var changed = bytes
                changed[position] = value
                #expect((try? TokenSet(decoding: changed)) != Self.full)
            }
        }
    }

    @Test("prints no token and no subject")
    func redacted() {
        var text = "\(Self.full) \(String(reflecting: Self.full))"
        dump(Self.full, to: &text)
        for secret in ["access-ä", "refresh", "(usr!demo)", "s-1"] { #expect(!text.contains(secret)) }
    }
}
