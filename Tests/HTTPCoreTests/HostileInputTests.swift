import Basics
import HTTPCore
import Testing

/// A sequence of numbers that looks random and is the same in every run.
private struct Scramble {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    /// Pieces of the grammars, thrown together.
    mutating func text(_ pieces: [String]) -> String {
        (0..<next(12)).map { _ in pieces[next(pieces.count)] }.joined()
    }
}

@Suite("Input from strangers, thrown together at random,")
struct HostileInputTests {
    private static let rounds = 20_000
    private static let odd = [
        "", " ", "\t", "\"", "\\", "\r\n", "\u{0}", "é", "😀", "\u{301}", "%", "%4", "%00", "%zz", ",",
    ]

    @Test("is a web address or is refused; what is accepted reads back as itself")
    func addresses() {
        var scramble = Scramble(state: 1)
        let pieces =
            [
                "http", "https", "://", ":", "/", "?", "#", "@", "[", "]", "::", "::1", "127.0.0.1", "256", "a", ".",
                "-", "80", "0", "x",
            ]
            + Self.odd
        for _ in 0..<Self.rounds {
            let text = (scramble.next(2) == 0 ? "http://" : "") + scramble.text(pieces)
            guard let url = WebURL(text) else { continue }
            #expect(WebURL(url.text) == url, "\(text)")
            #expect(!url.origin.contains("@"), "\(text)")
            #expect(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text)")
        }
    }

    @Test("is a query or is refused; what is accepted reads back as itself")
    func queries() {
        var scramble = Scramble(state: 2)
        let pieces = ["a", "b", "=", "&", "+", ";", "%41", "%C3%A9", "%25", "?"] + Self.odd
        for _ in 0..<Self.rounds {
            let text = scramble.text(pieces)
            guard let parameters = QueryParameters(parsing: text) else { continue }
            #expect(QueryParameters(parsing: parameters.encoded) == parameters, "\(text)")
        }
    }

    @Test("is a cookie or is dropped; what may be written reads back as itself")
    func cookies() throws {
        var scramble = Scramble(state: 3)
        let pieces =
            [
                "a", "=", ";", "; ", "Path=/", "Path=", "Domain=", "Domain=.h.example", "Max-Age=", "60", "-1",
                "Expires=",
                "Sun, 06 Nov 1994 08:49:37 GMT", "Secure", "HttpOnly", "SameSite=Lax", "__Host-",
                "99999999999999999999",
            ] + Self.odd
        let url = try #require(WebURL("https://h.example/a/b"))
        var jar = CookieJar()
        for round in 0..<Self.rounds {
            let text = scramble.text(pieces)
            guard let cookie = SetCookie(parsing: text) else { continue }
            jar.store(cookie, from: url, now: Timestamp(seconds: Int64(round)))
            #expect(jar.count <= CookieJar.capacity)
            if let field = jar.header(for: url, now: Timestamp(seconds: Int64(round))) {
                #expect(!field.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 }), "\(text)")
            }
            if let field = cookie.fieldValue { #expect(SetCookie(parsing: field) == cookie, "\(text)") }
            _ = CookieHeader(text).pairs
        }
    }

    @Test("is a field or is ignored")
    func fields() {
        var scramble = Scramble(state: 4)
        let pieces =
            [
                "a", "/", "json", ";", "=", "\"", "charset", "utf-8", "q=", "0.5", "1", "*", "-", "en", "06", "Nov",
                "1994",
                ":", "08:49:37", "GMT",
            ] + Self.odd
        for _ in 0..<Self.rounds {
            let text = scramble.text(pieces)
            _ = MediaType(parsing: text)?.isJSON
            for tag in AcceptLanguage.parse(text) { #expect(AcceptLanguage.isTag(tag), "\(text)") }
            if let date = HTTPDate.parse(text) { #expect(HTTPDate.parse(HTTPDate.format(date)) == date, "\(text)") }
            if let wait = RetryAfter.parse(text, now: Timestamp(seconds: 0)) {
                #expect(wait >= .zero && wait <= .seconds(3600), "\(text)")
            }
        }
    }
}
