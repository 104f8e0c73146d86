import Basics
import HTTPCore
import Testing

@Suite("A cookie jar")
struct CookieJarTests {
    private let now = Timestamp(seconds: 1_700_000_000)

    private func url(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

    /// What a request to `target` carries after an answer from `source` with these fields.
    private func sent(_ fields: String..., from source: String, to target: String) throws -> String? {
        var jar = CookieJar()
        for field in fields {
            if let cookie = SetCookie(parsing: field) { jar.store(cookie, from: try url(source), now: now) }
        }
        return jar.header(for: try url(target), now: now)
    }

    @Test(
        "sends a cookie where it belongs",
        arguments: [
            ("a=b", "https://h.example/x", "https://h.example/"),
            ("a=b", "https://h.example/x", "https://h.example:8443/y"),
            ("a=b", "https://h.example/am/json/x", "https://h.example/am/json/y"),
            ("a=b", "https://h.example/am/json/x", "https://h.example/am/json"),
            ("a=b; Path=/", "https://h.example/am/x", "https://h.example/other"),
            ("a=b; Path=/am", "https://h.example/", "https://h.example/am"),
            ("a=b; Path=/am/", "https://h.example/", "https://h.example/am/x"),
            ("a=b; Domain=h.example", "https://h.example/", "https://sub.h.example/"),
            ("a=b; Domain=.h.example", "https://www.h.example/", "https://h.example/"),
            ("a=b; Domain=h.example", "https://x.y.h.example/", "https://z.h.example/"),
            ("a=b; Secure", "https://h.example/", "https://h.example/"),
            ("a=b; Secure", "http://localhost:9000/", "http://localhost:9000/"),
            ("a=b; Domain=10.0.0.1", "http://10.0.0.1/", "http://10.0.0.1/"),
            ("a=b; Domain=localhost", "http://localhost/", "http://localhost/"),
            ("__Host-a=b; Path=/; Secure", "https://h.example/", "https://h.example/x"),
            ("a=b; Max-Age=60", "https://h.example/", "https://h.example/"),
        ])
    func sends(_ field: String, _ source: String, _ target: String) throws {
        let name = field.hasPrefix("__Host-") ? "__Host-a" : "a"
        #expect(try sent(field, from: source, to: target) == "\(name)=b")
    }

    @Test(
        "sends no cookie elsewhere",
        arguments: [
            ("a=b", "https://h.example/", "https://sub.h.example/"),
            ("a=b", "https://sub.h.example/", "https://h.example/"),
            ("a=b", "https://h.example/", "https://h.example.evil/"),
            ("a=b; Domain=h.example", "https://h.example/", "https://evilh.example/"),
            ("a=b; Domain=h.example", "https://h.example/", "https://example/"),
            ("a=b; Domain=other.example", "https://h.example/", "https://other.example/"),
            ("a=b; Domain=sub.h.example", "https://h.example/", "https://sub.h.example/"),
            ("a=b; Domain=example", "https://h.example/", "https://h.example/"),
            ("a=b; Domain=0.0.1", "http://10.0.0.1/", "http://10.0.0.1/"),
            ("a=b; Path=/am", "https://h.example/", "https://h.example/"),
            ("a=b; Path=/am", "https://h.example/", "https://h.example/amber"),
            ("a=b; Path=/am/", "https://h.example/", "https://h.example/am"),
            ("a=b", "https://h.example/am/json/x", "https://h.example/am/other"),
            ("a=b; Path=/am", "https://h.example/", "https://h.example/%61m"),
            ("a=b; Secure", "https://h.example/", "http://h.example/"),
            ("a=b; Secure", "http://h.example/", "https://h.example/"),
            ("a=b; Max-Age=0", "https://h.example/", "https://h.example/"),
            ("a=b; Max-Age=-1", "https://h.example/", "https://h.example/"),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://h.example/", "https://h.example/"),
            ("__Host-a=b; Secure; Path=/am", "https://h.example/", "https://h.example/am"),
            ("__Host-a=b; Secure; Path=/; Domain=h.example", "https://h.example/", "https://h.example/"),
            ("__Secure-a=b", "https://h.example/", "https://h.example/"),
        ])
    func withholds(_ field: String, _ source: String, _ target: String) throws {
        #expect(try sent(field, from: source, to: target) == nil)
    }

    @Test("replaces a cookie of the same name, domain and path, and keeps its place")
    func replaces() throws {
        let all = try sent(
            "a=1; Path=/", "b=2; Path=/", "a=3; Path=/", from: "https://h.example/", to: "https://h.example/")
        #expect(all == "a=3; b=2")
    }

    @Test("keeps cookies of one name but another path, the longer path first")
    func paths() throws {
        let all = try sent(
            "a=root; Path=/", "a=deep; Path=/am/json", "z=mid; Path=/am", from: "https://h.example/",
            to: "https://h.example/am/json/x")
        #expect(all == "a=deep; z=mid; a=root")
    }

    @Test("removes a cookie by one that has ended")
    func removal() throws {
        let here = "https://h.example/"
        #expect(try sent("a=1; Path=/", "a=; Path=/; Max-Age=0", from: here, to: here) == nil)
        #expect(
            try sent("a=1; Path=/", "a=LOGOUT; Path=/; Expires=Thu, 01-Jan-1970 00:00:10 GMT", from: here, to: here)
                == nil)
        #expect(try sent("a=1; Path=/", "a=; Path=/other; Max-Age=0", from: here, to: here) == "a=1")
        #expect(try sent("a=1; Path=/", "A=; Path=/; Max-Age=0", from: here, to: here) == "a=1")
    }

    @Test("forgets a cookie once its time has come")
    func expiry() throws {
        var jar = CookieJar()
        let here = try url("https://h.example/")
        jar.store(SetCookie(name: "a", value: "b", maxAge: 60), from: here, now: now)
        #expect(jar.header(for: here, now: now + .seconds(59)) == "a=b")
        #expect(jar.header(for: here, now: now + .seconds(60)) == nil)
        #expect(jar.value("a", for: here, now: now + .seconds(60)) == nil)
        jar.store(SetCookie(name: "c", value: "d"), from: here, now: now + .seconds(61))
        #expect(jar.count == 1)
    }

    @Test("takes every field of an answer and skips the unreadable")
    func fields() throws {
        var fields = HTTPFields()
        for value in ["a=1; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT", "nonsense", "b=2"] {
            fields.append(try HTTPField(.setCookie, checking: value))
        }
        var jar = CookieJar()
        let here = try url("https://h.example/")
        jar.store(fields, from: here, now: now)
        #expect(jar.header(for: here, now: now) == "a=1; b=2")
        #expect(jar.names == ["a", "b"])
        #expect(jar.value("b", for: here, now: now) == "2")
    }

    @Test("is bounded, the oldest goes first")
    func bounded() throws {
        var jar = CookieJar()
        let here = try url("https://h.example/")
        for index in 0..<CookieJar.capacity + 5 {
            jar.store(SetCookie(name: "c\(index)", value: "x"), from: here, now: now)
        }
        #expect(jar.count == CookieJar.capacity)
        #expect(jar.names.first == "c5")
    }

    @Test("forgets by name")
    func forgets() throws {
        var jar = CookieJar()
        let here = try url("https://h.example/")
        for name in ["a", "b", "c"] { jar.store(SetCookie(name: name, value: "x"), from: here, now: now) }
        jar.keep(["c", "d"])
        #expect(jar.names == ["c"])
        #expect(!jar.isEmpty)
    }

    @Test("keeps values out of descriptions")
    func description() throws {
        var jar = CookieJar()
        jar.store(SetCookie(name: "a", value: "canary"), from: try url("https://h.example/"), now: now)
        var dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar)\(String(reflecting: jar))\(dumped)".contains("canary"))
    }
}
