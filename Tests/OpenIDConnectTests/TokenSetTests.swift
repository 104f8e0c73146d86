import Basics
import OpenIDConnect
import TestSupport
import Testing

@Suite("A token set")
struct TokenSetTests {
    static let full = TokenSet(
        accessToken: Secret("access-ä"), tokenType: "Bearer", refreshToken: Secret("refresh"), idToken: Secret("id"),
        scopes: ["openid", "profile"], issuedAt: Timestamp(milliseconds: 1_767_225_600_123),
        expiresAt: Timestamp(seconds: 1_767_229_200), issuer: "https://am.example.com", clientID: "bff",
        subject: "(usr!demo)", acr: "gold", amr: ["pwd", "otp"], authTime: Timestamp(seconds: -1), authLevel: 3,
        sessionID: "s-1")

    static let bare = TokenSet(
        accessToken: Secret("a"), tokenType: nil, scopes: [], issuedAt: Timestamp(milliseconds: 0), expiresAt: nil,
        issuer: "i", clientID: "c", subject: "s")

    /// Tokens as most providers send them: JWTs, and a refresh token that is encrypted.
    static let signed: TokenSet = {
        var tokens = full
        tokens.accessToken = Secret("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJlLWJ5dGVz")
        tokens.refreshToken = Secret("eyJhbGciOiJkaXIifQ..aXY.Y2lwaGVyIHRleHQ.dGFn")
        tokens.idToken = Secret("eyJhbGciOiJub25lIn0.e30.")
        return tokens
    }()

    @Test("is stored and read back unchanged", arguments: [full, bare, signed])
    func roundTrip(tokens: TokenSet) throws {
        let bytes = tokens.encoded
        #expect(bytes.first == 2)
        #expect(try TokenSet(decoding: bytes) == tokens)
    }

    @Test("that was cut short, prolonged or of another version is not read", arguments: [full, bare, signed])
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
    func fuzzed() throws {
        try fuzz(Self.full)
        try fuzz(Self.signed)
    }

    private func fuzz(_ tokens: TokenSet) throws {
        let bytes = tokens.encoded
        for position in bytes.indices {
            for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] where bytes[position] != value {
                var changed = bytes
                changed[position] = value
                #expect((try? TokenSet(decoding: changed)) != tokens)
            }
        }
    }

    @Test(
        "keeps every spelling of a token byte for byte",
        arguments: [
            "a.b", "YQ", "YR", "YQ==", "Y Q", "Y.Q", ".", "..", "", ".YQ", "YQ.", "YQ.YQ.YQ.YQ.YQ", "YQ.YQ.YQ.YQ.YQ.YQ",
            "YWI", "YWJ", "YWJj", "YW+j", "YW/j", "YW-j", "YW_j", "YQ\n", "é", "YQ.é",
            "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.YR",
        ])
    func spellings(token: String) throws {
        var tokens = Self.bare
        tokens.accessToken = Secret(token)
        tokens.refreshToken = Secret(token)
        tokens.idToken = Secret(token)
        #expect(try TokenSet(decoding: tokens.encoded) == tokens)
    }

    @Test("takes a quarter less room than the texts of its tokens")
    func room() {
        let part = String(repeating: "abcd", count: 100)
        var tokens = Self.bare
        let bare = tokens.encoded.count
        tokens.accessToken = Secret("\(part).\(part).\(part)")
        let added = tokens.encoded.count - bare
        // Three parts of 300 bytes with their lengths, and their number, in place of the text `a`.
        #expect(added == 904)
    }

    @Test("of the form before is read", arguments: [full, bare, signed])
    func former(tokens: TokenSet) throws {
        let bytes = FormerTokens(tokens: tokens).encoded
        #expect(bytes.first == 1)
        #expect(try TokenSet(decoding: bytes) == tokens)
        for count in bytes.indices {
            #expect(throws: RecordError.malformed) { try TokenSet(decoding: Array(bytes[..<count])) }
        }
    }

    @Test("with more parts of a token than one may have is not read")
    func parts() throws {
        var tokens = Self.bare
        tokens.accessToken = Secret("....")
        var bytes = tokens.encoded
        #expect(bytes[1] == 5)
        bytes[1] = 6
        bytes.insert(0, at: 2)
        #expect(throws: RecordError.malformed) { try TokenSet(decoding: bytes) }
    }

    @Test("prints no token and no subject")
    func redacted() {
        var text = "\(Self.full) \(String(reflecting: Self.full))"
        dump(Self.full, to: &text)
        for secret in ["access-ä", "refresh", "(usr!demo)", "s-1"] { #expect(!text.contains(secret)) }
    }
}

/// The stored form of the first version.
private struct FormerTokens: RecordCodable {
    static let version: UInt8 = 1
    let tokens: TokenSet

    init(tokens: TokenSet) { self.tokens = tokens }

    init(from reader: inout RecordReader) throws(RecordError) { throw .malformed }

    func write(into writer: inout RecordWriter) {
        writer.write(tokens.accessToken.reveal())
        writer.write(tokens.tokenType)
        writer.write(tokens.refreshToken?.reveal())
        writer.write(tokens.idToken?.reveal())
        writer.write(tokens.scopes) { $0.write($1) }
        writer.write(tokens.issuedAt)
        writer.write(tokens.expiresAt)
        writer.write(tokens.issuer)
        writer.write(tokens.clientID)
        writer.write(tokens.subject)
        writer.write(tokens.acrs) { $0.write($1) }
        writer.write(tokens.amr) { $0.write($1) }
        writer.write(tokens.authTime)
        writer.write(tokens.authLevel) { $0.write(Int64($1)) }
        writer.write(tokens.sessionID)
    }
}
