import Basics
import HTTPCore
import Testing

@Suite("A media type")
struct MediaTypeTests {
    @Test(
        "is read",
        arguments: [
            ("application/json", "application/json", nil), ("Application/JSON", "application/json", nil),
            ("application/json;charset=utf-8", "application/json", "utf-8"),
            ("application/json ; Charset=UTF-8 ", "application/json", "UTF-8"),
            ("text/html; charset=\"utf-8\"", "text/html", "utf-8"), ("a/b;charset=\"a\\\"b\"", "a/b", "a\"b"),
            ("a/b;;charset=x;", "a/b", "x"), ("a/b; x=\"1;charset=no\"; charset=yes", "a/b", "yes"),
            (" application/problem+json ", "application/problem+json", nil),
        ] as [(String, String, String?)])
    func parsed(_ field: String, _ essence: String, _ charset: String?) throws {
        let type = try #require(MediaType(parsing: field))
        #expect(type.essence == essence)
        #expect(type.parameter("charset") == charset)
    }

    @Test(
        "is refused",
        arguments: [
            "", "json", "/", "a/", "/b", "a /b", "a/ b", "a/b c", "a/b,c/d", "a/b; charset", "a/b; charset=",
            "a/b; =x", "a/b; charset =x", "a/b; charset= x", "a/b; charset=\"x", "a/b; charset=\"x\\", "a/b; c=d e",
            "a/b; charset=x; charset=y", "a/b; charset=x; CHARSET=x", "a/b; c=\"\u{1}\"", "ä/b", "a/b; c=\"\u{7F}\"",
            "a/b/c",
        ])
    func refused(_ field: String) {
        #expect(MediaType(parsing: field) == nil)
    }

    @Test(
        "is JSON or not",
        arguments: [
            ("application/json", true), ("application/json;charset=UTF-8", true), ("application/hal+json", true),
            ("application/json; charset=latin1", false), ("text/json", false), ("application/jsonp", false),
            ("application/x-www-form-urlencoded", false), ("text/html", false), ("application/json+xml", false),
        ])
    func json(_ field: String, _ expected: Bool) throws {
        #expect(try #require(MediaType(parsing: field)).isJSON == expected)
    }
}

@Suite("Accept-Language")
struct AcceptLanguageTests {
    @Test(
        "is read from a browser, best first",
        arguments: [
            ("", []), ("de", ["de"]), ("de-CH, de;q=0.9, en;q=0.8", ["de-CH", "de", "en"]),
            ("en;q=0.1, fr;q=0.9", ["fr", "en"]), ("en;q=0.5,fr;q=0.5", ["en", "fr"]),
            ("en ; q=0.5 , fr", ["fr", "en"]),
            ("*", []), ("de, *;q=0.1", ["de"]), ("de;q=0, en", ["en"]), ("de;q=0.000, en", ["en"]), ("DE, de", ["DE"]),
            ("de;q=1.5", []), ("de;q=2", []), ("de;q=-1", []), ("de;q=abc", []), ("de;q=0.1234", []), ("de;q=", []),
            ("de;level=1", []), ("de;q=1;q=0", []), ("de;q=1.000", ["de"]), ("de;Q=0.5", ["de"]), ("de;q=0.", []),
            ("zh-Hant-TW", ["zh-Hant-TW"]), ("x\r\nX-Evil: 1", []), ("en\u{0}", []), ("<script>", []), ("en_US", []),
            ("é", []), ("-en", []), ("en-", []), ("en--us", []), ("1", []), ("abcdefghi", []),
            ("sl-rozaj-1994", ["sl-rozaj-1994"]),
            ("aaaaaaaa-bbbbbbbb-cccccccc-dddddddd-eeeeeeee", []), (",,,de,,", ["de"]), ("en;q=0,5", []),
        ] as [(String, [String])])
    func parsed(_ field: String, _ tags: [String]) {
        #expect(AcceptLanguage.parse(field) == tags)
    }

    @Test("is read up to a bound")
    func bounded() {
        let many = (0..<100).map { index in "a\(Character(UnicodeScalar(UInt8(97 + index % 26))))-x\(index)" }
        #expect(AcceptLanguage.parse(many.joined(separator: ",")).count == 8)
        #expect(AcceptLanguage.parse(many.joined(separator: ","), limit: 3) == Array(many.prefix(3)))
        #expect(AcceptLanguage.parse(String(repeating: "é", count: 5000)).isEmpty)
    }

    @Test(
        "is written with bare languages as fall-backs",
        arguments: [
            ([], ""), (["en-GB"], "en-GB, en;q=0.9"), (["zh-Hant-TW"], "zh-Hant-TW, zh;q=0.9"), (["de"], "de"),
            (["fr-CA", "en"], "fr-CA, fr;q=0.9, en;q=0.8"),
            (["de-DE", "de", "en-US", "EN"], "de-DE, de;q=0.9, en-US;q=0.8, EN;q=0.7"),
            (["en", "de-DE", "de"], "en, de-DE;q=0.9, de;q=0.8"),
            (["en-GB", "en-US"], "en-GB, en;q=0.9, en-US;q=0.8"),
            (["en\r\nX: y", "de"], "de"),
            (
                ["a-x", "b-x", "c-x", "d-x", "e-x", "f-x", "g-x"].map { "a" + $0 },
                "aa-x, aa;q=0.9, ab-x;q=0.8, ab;q=0.7, ac-x;q=0.6, ac;q=0.5, ad-x;q=0.4, ad;q=0.3, ae-x;q=0.2, ae;q=0.1, "
                    + "af-x;q=0.1, af;q=0.1, ag-x;q=0.1, ag;q=0.1"
            ),
        ] as [([String], String)])
    func written(_ tags: [String], _ field: String) {
        #expect(AcceptLanguage.build(tags) == field)
    }
}

@Suite("A date in a header field")
struct HTTPDateTests {
    @Test(
        "is written and read back",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (-11_644_473_600, "Mon, 01 Jan 1601 00:00:00 GMT"),
        ] as [(Int64, String)])
    func both(_ seconds: Int64, _ text: String) {
        #expect(HTTPDate.format(Timestamp(seconds: seconds)) == text)
        #expect(HTTPDate.parse(text) == Timestamp(seconds: seconds))
    }

    @Test(
        "is read in the older forms",
        arguments: [
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06-Nov-1994 08:49:37 GMT",
            "6 nov 1994 8:49:37", "08:49:37 06 November 1994",
        ])
    func older(_ text: String) {
        #expect(HTTPDate.parse(text) == Timestamp(seconds: 784_111_777))
    }

    @Test(
        "is refused",
        arguments: [
            "", "GMT", "Sun, 06 Nov 1994", "08:49:37", "32 Nov 1994 08:49:37", "0 Nov 1994 08:49:37",
            "31 Nov 1994 08:49:37",
            "29 Feb 1900 00:00:00", "30 Feb 2000 00:00:00", "06 Nov 1600 08:49:37", "06 Foo 1994 08:49:37",
            "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60", "06 Nov 1994 08:49",
            "06 Nov 19945 08:49:37", "06 Nov 1994 008:49:37",
        ])
    func refused(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test("beyond year 9999 is written as its last second")
    func clamped() {
        #expect(HTTPDate.format(Timestamp(milliseconds: .max)) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(Timestamp(milliseconds: .min)) == "Sat, 01 Jan 0000 00:00:00 GMT")
    }
}

@Suite("Retry-After")
struct RetryAfterTests {
    private let now = Timestamp(seconds: 784_111_777)

    @Test(
        "is read",
        arguments: [
            ("0", 0), ("120", 120), (" 5 ", 5), ("3600", 3600), ("3601", 3600), ("99999999999999999999", 3600),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:40:37 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        ] as [(String, Int)])
    func parsed(_ field: String, _ seconds: Int) {
        #expect(RetryAfter.parse(field, now: now) == .seconds(seconds))
    }

    @Test("is ignored when it is neither seconds nor a date", arguments: ["", "soon", "-1", "1.5", "5s", "1 2", "+5"])
    func ignored(_ field: String) {
        #expect(RetryAfter.parse(field, now: now) == nil)
    }
}
