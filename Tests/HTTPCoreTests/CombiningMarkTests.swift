import HTTPCore
import Testing

/// A combining mark is one character with the delimiter before it, and two bytes of its own to everybody else.
@Suite("A combining mark behind a delimiter")
struct CombiningMarkTests {
    @Test(arguments: ["[\u{301}::1]", "[::1]\u{301}", "127.\u{301}0.0.1", "127.0.0.1\u{301}"])
    func `is no part of an address`(_ text: String) {
        #expect(HostAddress(text) == nil)
    }

    @Test func `stays with what follows it in a cookie`() throws {
        let cookie = try #require(SetCookie(parsing: "a=\u{301}v;\u{301}; Domain=.\u{301}x.example; Secure"))
        #expect(cookie.name == "a" && Array(cookie.value.utf8) == Array("\u{301}v".utf8))
        #expect(cookie.secure && cookie.domain.map { Array($0.utf8) } == Array("\u{301}x.example".utf8))
    }

    @Test func `stays with what follows it in a query`() throws {
        let query = try #require(QueryParameters(parsing: "a=\u{301}v&\u{301}b=w"))
        #expect(query.pairs.map { Array($0.name.utf8) } == [Array("a".utf8), Array("\u{301}b".utf8)])
        #expect(query.pairs.map { Array($0.value.utf8) } == [Array("\u{301}v".utf8), Array("w".utf8)])
    }

    @Test(arguments: ["a=\u{301}v", "a=v,\u{301}b=w", "a\u{301}=v"])
    func `makes a tracestate that is not passed on`(_ state: String) {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(TraceContext(traceparent: parent, tracestate: [state])?.state == nil)
    }
}
