import HTTPCore
import Testing

@Suite("A web address")
struct WebURLTests {
    @Test(
        "is taken apart",
        arguments: [
            ("https://example.com", "https://example.com/"),
            ("https://example.com/", "https://example.com/"),
            ("HTTPS://EXAMPLE.com/A", "https://example.com/A"),
            ("https://example.com:443/a", "https://example.com/a"),
            ("http://example.com:80/a", "http://example.com/a"),
            ("http://example.com:443/a", "http://example.com:443/a"),
            ("https://example.com:8443", "https://example.com:8443/"),
            ("https://example.com?a=b", "https://example.com/?a=b"),
            ("https://example.com/?", "https://example.com/?"),
            ("https://example.com/a?b?c", "https://example.com/a?b?c"),
            ("https://example.com/%2e%2E/a%20b", "https://example.com/%2e%2E/a%20b"),
            ("https://example.com/a//b/../c", "https://example.com/a//b/../c"),
            ("https://example.com/@a:b", "https://example.com/@a:b"),
            ("https://a_b.xn--bcher-kva.example", "https://a_b.xn--bcher-kva.example/"),
            ("https://1and1.example", "https://1and1.example/"),
            ("http://127.0.0.1:9000/am", "http://127.0.0.1:9000/am"),
            ("http://[::1]:8080/am", "http://[::1]:8080/am"),
            ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
            ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
            ("http://localhost:65535/", "http://localhost:65535/"),
        ])
    func parsed(_ text: String, _ expected: String) throws {
        #expect(try #require(WebURL(text)).text == expected)
    }

    @Test(
        "is refused",
        arguments: [
            "", "example.com", "/a", "//example.com/a", "https:", "https:/", "https://", "https:///a", "https://?a",
            "https:example.com", "ftp://example.com", "file:///etc/passwd", "javascript://example.com/%0a", "data:,x",
            "gopher://example.com", "httpss://example.com", "ht tp://example.com", " https://example.com",
            "https://example.com ", "https://example.com/a b", "https://example.com/\t", "https://example.com/\r\nX: y",
            "https://example.com/\u{0}", "https://example.com/\u{7F}", "https://exam\nple.com", "https://example.com/é",
            "https://ex\u{430}mple.com", "https://example.com\\@evil.example", "https:\\\\example.com",
            "https://user@example.com", "https://user:password@example.com", "https://@example.com",
            "https://example.com@evil.example/", "https://example.com#a", "https://example.com/#",
            "https://example.com:",
            "https://example.com:0", "https://example.com:65536", "https://example.com:99999999999",
            "https://example.com:-1",
            "https://example.com:+443", "https://example.com:4 43", "https://example.com:443:443",
            "https://example.com:https",
            "https://:443", "https://.example.com", "https://example..com", "https://example.com.", "https://.",
            "https://exa%6dple.com", "https://example.com%00.evil.example", "https://exa!mple.com", "https://a,b",
            "https://a;b", "https://a&b", "https://a=b", "https://a'b", "https://(a)", "https://*", "https://a*b",
            "http://127.1", "http://127.0.1", "http://2130706433", "http://0x7f000001", "http://0x7f.0.0.1",
            "http://0177.0.0.1", "http://127.0.0.01", "http://127.0.0.256", "http://127.0.0.1.1", "http://1.2.3.4.5.6",
            "http://example.1", "http://127.0.0.0x1", "http://[", "http://]", "http://[]", "http://[:]", "http://[::",
            "http://[::1", "http://::1", "http://[::1]a", "http://[::1]:", "http://[::1]8080", "http://[1:2:3]",
            "http://[1:2:3:4:5:6:7:8:9]", "http://[1::2::3]", "http://[:::]", "http://[::12345]", "http://[::g]",
            "http://[::1%25eth0]", "http://[fe80::1%eth0]", "http://[::1.2.3]", "http://[::1.2.3.256]",
            "http://[1.2.3.4::]", "http://[v1.a]", "http://[127.0.0.1]", "http://a[::1]",
        ])
    func refused(_ text: String) {
        #expect(WebURL(text) == nil)
    }

    @Test("is refused when a label or the whole is too long")
    func tooLong() {
        #expect(WebURL("https://\(String(repeating: "a", count: 63)).example") != nil)
        #expect(WebURL("https://\(String(repeating: "a", count: 64)).example") == nil)
        #expect(WebURL("https://" + Array(repeating: "abcdefgh", count: 29).joined(separator: ".")) == nil)
        #expect(WebURL("https://a/" + String(repeating: "b", count: 16_384)) == nil)
    }

    @Test("knows its port, authority and origin")
    func parts() throws {
        let url = try #require(WebURL("https://example.com:8443/a?b"))
        #expect(url.port == 8443)
        #expect(url.authority == "example.com:8443")
        #expect(url.origin == "https://example.com:8443")
        #expect(WebURL("https://example.com")?.port == 443)
        #expect(WebURL("http://example.com")?.port == 80)
        #expect(WebURL("https://example.com:443")?.authority == "example.com")
        #expect(WebURL("http://[::1]:80")?.authority == "[::1]")
    }

    @Test(
        "is this machine",
        arguments: [
            "http://localhost", "http://LOCALHOST:1", "http://127.0.0.1", "http://127.255.255.254", "http://[::1]",
            "http://[0:0:0:0:0:0:0:1]", "http://[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]",
        ])
    func loopback(_ text: String) {
        #expect(WebURL(text)?.isLoopback == true)
    }

    @Test(
        "is another machine",
        arguments: [
            "http://localhost.example", "http://127.0.0.1.example", "http://127.example", "http://128.0.0.1",
            "http://0.0.0.0", "http://[::]", "http://[::2]", "http://[::127.0.0.1]", "http://[::ffff:128.0.0.1]",
            "http://mylocalhost", "http://10.0.0.1", "http://169.254.169.254",
        ])
    func notLoopback(_ text: String) {
        #expect(WebURL(text)?.isLoopback == false)
    }

    @Test("tells addresses from names")
    func addresses() {
        #expect(WebURL("http://10.0.0.1")?.isAddress == true)
        #expect(WebURL("http://[2001:db8::1:2]")?.isAddress == true)
        #expect(WebURL("http://[1:2:3:4:5:6:7:8]")?.isAddress == true)
        #expect(WebURL("http://[1:2:3:4:5:6:1.2.3.4]")?.isAddress == true)
        #expect(WebURL("http://10.0.0.1.example")?.isAddress == false)
        #expect(WebURL("http://deadbeef")?.isAddress == false)
    }

    @Test("grows a path and a query without letting a value out of its place")
    func growing() throws {
        var url = try #require(WebURL("https://example.com/am/")).appending(path: "/json/x")
        #expect(url.text == "https://example.com/am/json/x")
        url.append(parameter: "a b", "c&d=e#f?g/h é")
        url.append(parameter: "next", "\r\nX: y")
        #expect(
            url.text == "https://example.com/am/json/x?a%20b=c%26d%3De%23f%3Fg%2Fh%20%C3%A9&next=%0D%0AX%3A%20y")
        url.query = ""
        url.append(parameter: "a", "b")
        #expect(url.query == "a=b")
    }

    @Test("keeps its query out of descriptions")
    func description() throws {
        let url = try #require(WebURL("https://example.com/a?code=secret"))
        #expect("\(url)" == "https://example.com/a?…")
        #expect(!String(reflecting: url).contains("secret"))
    }
}
