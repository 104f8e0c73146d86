import HTTPCore
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "encodes every byte that is not unreserved",
        arguments: [
            ("", ""), ("aZ09-._~", "aZ09-._~"), (" ", "%20"), ("+", "%2B"), ("%", "%25"), ("%41", "%2541"),
            ("a/b?c#d&e=f", "a%2Fb%3Fc%23d%26e%3Df"), ("é", "%C3%A9"), ("😀", "%F0%9F%98%80"), ("\r\n", "%0D%0A"),
            ("\u{0}", "%00"), ("!*'()", "%21%2A%27%28%29"), ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("$,:;@[]", "%24%2C%3A%3B%40%5B%5D"),
        ])
    func encodes(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        if !text.contains("\u{0}") { #expect(PercentEncoding.decode(encoded) == text) }
    }

    @Test(
        "decodes once",
        arguments: [
            ("%2541", "%41"), ("%25%32%35", "%25"), ("%c3%a9", "é"), ("a+b", "a+b"), ("%2B", "+"), ("%7e", "~"),
        ])
    func decodes(_ encoded: String, _ text: String) {
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test("reads plus as a space in forms only")
    func plus() {
        #expect(PercentEncoding.decode("a+b%2Bc", plusIsSpace: true) == "a b+c")
        #expect(PercentEncoding.decode("a+b%2Bc") == "a+b+c")
    }

    @Test(
        "refuses",
        arguments: [
            "%", "%4", "a%", "a%4", "%zz", "%4g", "%g4", "% 41", "%+4", "%-1", "%%41", "%00", "a%00b", "%C3", "%A9",
            "%C3%28", "%C0%AF", "%C0%80", "%ED%A0%80", "%F4%90%80%80", "%FF", "%E2%82", "%u0041", "%é",
        ])
    func refuses(_ text: String) {
        #expect(PercentEncoding.decode(text) == nil)
        #expect(PercentEncoding.decode(text, plusIsSpace: true) == nil)
    }
}

@Suite("Query parameters")
struct QueryParametersTests {
    @Test(
        "are read in order",
        arguments: [
            ("", []), ("a=b", ["a=b"]), ("a=b&c=d", ["a=b", "c=d"]), ("a", ["a="]), ("a=", ["a="]), ("=b", ["=b"]),
            ("a=b=c", ["a=b=c"]), ("a==", ["a=="]), ("&&a=b&&", ["a=b"]), ("a=b&a=c", ["a=b", "a=c"]),
            ("a+b=c+d", ["a b=c d"]), ("a%26=%3D", ["a&=="]), ("%C3%A9=%F0%9F%98%80", ["é=😀"]), ("a;b=c", ["a;b=c"]),
        ] as [(String, [String])])
    func parsed(_ text: String, _ pairs: [String]) throws {
        let parameters = try #require(QueryParameters(parsing: text))
        #expect(parameters.pairs.map { "\($0.name)=\($0.value)" } == pairs)
    }

    @Test("are refused whole when one escape is bad", arguments: ["a=%", "a=%zz", "%4=b", "a=b&c=%00", "a=b&%FF=1"])
    func refused(_ text: String) {
        #expect(QueryParameters(parsing: text) == nil)
    }

    @Test("are refused beyond the bound")
    func bounded() {
        let many = Array(repeating: "a=b", count: 256).joined(separator: "&")
        #expect(QueryParameters(parsing: many)?.pairs.count == 256)
        #expect(QueryParameters(parsing: many + "&a=b") == nil)
        #expect(QueryParameters(parsing: "a=1&b=2", limit: 1) == nil)
    }

    @Test("give a single value only when it is single")
    func single() throws {
        let parameters = try #require(QueryParameters(parsing: "code=1&state=2&code=3&empty="))
        #expect(parameters.single("state") == "2")
        #expect(parameters.single("empty") == "")
        #expect(parameters.single("code") == nil)
        #expect(parameters.single("missing") == nil)
        #expect(parameters.all("code") == ["1", "3"])
        #expect(parameters.firstRepeatedName == "code")
        #expect(QueryParameters(parsing: "a=1&b=1")?.firstRepeatedName == nil)
    }

    @Test("sees a repeated name in another spelling")
    func spellings() {
        #expect(QueryParameters(parsing: "code=1&c%6fde=2")?.firstRepeatedName == "code")
    }

    @Test("are written so that they read back")
    func written() throws {
        var parameters = QueryParameters()
        parameters.append("a b", "c+d&e=f")
        parameters.append("", "é")
        parameters.append("a b", "")
        #expect(parameters.encoded == "a%20b=c%2Bd%26e%3Df&=%C3%A9&a%20b=")
        #expect(QueryParameters(parsing: parameters.encoded) == parameters)
        #expect(QueryParameters() != parameters)
    }
}
