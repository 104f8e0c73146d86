import Basics
import HTTPCore
import Testing

@Suite("A Set-Cookie field")
struct SetCookieTests {
    @Test("is read with every attribute")
    func full() throws {
        let cookie = try #require(
            SetCookie(
                parsing: "id=a3f; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=60; Domain=.Example.COM; Path=/am; "
                    + "Secure; HttpOnly; SameSite=Lax"))
        #expect(
            cookie
                == SetCookie(
                    name: "id", value: "a3f", domain: "example.com", path: "/am",
                    expires: Timestamp(seconds: 1_445_412_480), maxAge: 60, secure: true, httpOnly: true, sameSite: .lax
                ))
    }

    @Test(
        "is read as browsers read it",
        arguments: [
            ("a=b", "a", "b"), (" a = b ", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c"),
            ("a=\"b c\"", "a", "\"b c\""),
            ("a=b;", "a", "b"), ("a=b;;;", "a", "b"), ("a=b; unknown; other=1", "a", "b"), ("a=b\t", "a", "b"),
            ("iPlanetDirectoryPro=AQIC5w.*AAJTSQACMDE.*", "iPlanetDirectoryPro", "AQIC5w.*AAJTSQACMDE.*"),
            ("a=é", "a", "é"),
        ])
    func lenient(_ field: String, _ name: String, _ value: String) throws {
        let cookie = try #require(SetCookie(parsing: field))
        #expect(cookie == SetCookie(name: name, value: value))
    }

    @Test(
        "is dropped",
        arguments: [
            "", "a", "=b", " =b", ";a=b", "Secure", "a=b\r\nSet-Cookie: c=d", "a=b\u{0}", "a=\u{7F}", "a\n=b",
            "a=b\u{FFFD}", "a\u{FFFD}=b; Path=/",
        ])
    func dropped(_ field: String) {
        #expect(SetCookie(parsing: field) == nil)
    }

    @Test("is dropped when it is too long")
    func tooLong() {
        #expect(SetCookie(parsing: "a=" + String(repeating: "b", count: 4095)) != nil)
        #expect(SetCookie(parsing: "a=" + String(repeating: "b", count: 4096)) == nil)
        #expect(SetCookie(parsing: "a=b; x=" + String(repeating: "b", count: 8192)) == nil)
    }

    @Test("has attributes that are ignored when they are unusable")
    func attributes() throws {
        func parse(_ attributes: String) throws -> SetCookie { try #require(SetCookie(parsing: "a=b; \(attributes)")) }
        #expect(try parse("Expires=tomorrow").expires == nil)
        #expect(try parse("Max-Age=1.5").maxAge == nil)
        #expect(try parse("Max-Age=+1").maxAge == nil)
        #expect(try parse("Max-Age=").maxAge == nil)
        #expect(try parse("Max-Age=-5").maxAge == -5)
        #expect(try parse("Max-Age=99999999999999999999").maxAge == .max)
        #expect(try parse("Max-Age=-99999999999999999999").maxAge == .min)
        #expect(try parse("Domain=").domain == nil)
        #expect(try parse("Domain=a.example; Domain=b.example").domain == "b.example")
        #expect(try parse("Path=am").path == nil)
        #expect(try parse("Path=/a; Path=").path == nil)
        #expect(try parse("SameSite=sTrIcT").sameSite == .strict)
        #expect(try parse("SameSite=None").sameSite == SetCookie.SameSite.none)
        #expect(try parse("SameSite=Maybe").sameSite == nil)
        #expect(try parse("SECURE=anything; httponly=").secure)
        #expect(try parse("Expires=Thu, 01 Jan 1970 00:00:00 GMT").isRemoval(at: Timestamp(seconds: 1)))
    }

    @Test("ends by Max-Age rather than Expires")
    func ends() {
        let now = Timestamp(seconds: 1000)
        let past = Timestamp(seconds: 1)
        #expect(!SetCookie(name: "a", value: "b", expires: past, maxAge: 5).isRemoval(at: now))
        #expect(SetCookie(name: "a", value: "b", expires: Timestamp(seconds: 5000), maxAge: 0).isRemoval(at: now))
        #expect(SetCookie(name: "a", value: "b", maxAge: 5).end(from: now) == Timestamp(seconds: 1005))
        #expect(SetCookie(name: "a", value: "b").end(from: now) == nil)
        #expect(!SetCookie(name: "a", value: "b").isRemoval(at: now))
        #expect(SetCookie(name: "a", value: "b", maxAge: .max).end(from: now).map { $0 > now } == true)
    }

    @Test("is written in full")
    func written() {
        let cookie = SetCookie(
            name: "__Host-Http-cloakroom", value: "abc_-.9", path: "/", expires: Timestamp(seconds: 1_445_412_480),
            maxAge: 60, secure: true, httpOnly: true, sameSite: .strict)
        #expect(
            cookie.fieldValue
                == "__Host-Http-cloakroom=abc_-.9; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Max-Age=60; Secure; "
                + "HttpOnly; SameSite=Strict")
        #expect(SetCookie(name: "a", value: "").fieldValue == "a=")
        #expect(cookie.fieldValue.flatMap { SetCookie(parsing: $0) } == cookie)
    }

    @Test(
        "is not written",
        arguments: [
            SetCookie(name: "", value: "b"), SetCookie(name: "a b", value: "c"), SetCookie(name: "a=", value: "c"),
            SetCookie(name: "a;", value: "c"), SetCookie(name: "ä", value: "c"), SetCookie(name: "a", value: "b c"),
            SetCookie(name: "a", value: "b;c"), SetCookie(name: "a", value: "b,c"), SetCookie(name: "a", value: "b\"c"),
            SetCookie(name: "a", value: "b\\c"), SetCookie(name: "a", value: "b\r\nX: y"),
            SetCookie(name: "a", value: "é"), SetCookie(name: "a", value: "b", path: "am"),
            SetCookie(name: "a", value: "b", path: "/;Secure"), SetCookie(name: "a", value: "b", path: "/\n"),
            SetCookie(name: "a", value: "b", domain: ""), SetCookie(name: "a", value: "b", domain: "a;b"),
            SetCookie(name: "a", value: "b", domain: "A.example"), SetCookie(name: "__Host-a", value: "b", path: "/"),
            SetCookie(name: "__Host-a", value: "b", secure: true),
            SetCookie(name: "__Host-a", value: "b", domain: "a.example", path: "/", secure: true),
            SetCookie(name: "__HOST-a", value: "b", path: "/a", secure: true),
            SetCookie(name: "__Secure-a", value: "b"),
            SetCookie(name: "__Host-Http-a", value: "b", path: "/", secure: true),
            SetCookie(name: "__Http-a", value: "b", secure: true),
        ])
    func notWritten(_ cookie: SetCookie) {
        #expect(cookie.fieldValue == nil)
    }

    @Test("keeps its value out of descriptions")
    func description() {
        let cookie = SetCookie(name: "a", value: "canary")
        var dumped = ""
        dump(cookie, to: &dumped)
        #expect(!"\(cookie)\(String(reflecting: cookie))\(dumped)".contains("canary"))
    }
}

@Suite("The Cookie field")
struct CookieHeaderTests {
    @Test(
        "is read into pairs",
        arguments: [
            ("", []), (" ; ; ", []), ("a=b", ["a=b"]), ("a=b; c=d", ["a=b", "c=d"]), ("a=b;c=d", ["a=b", "c=d"]),
            ("a=b;", ["a=b"]), (";a=b", ["a=b"]), ("a = b", ["a=b"]), ("a=b=c==", ["a=b=c=="]), ("a=", ["a="]),
            ("a", ["=a"]), ("=a", ["=a"]), ("a=\"b; c\"", ["a=\"b", "=c\""]), ("a=b, c=d", ["a=b, c=d"]),
            ("A=1; a=2", ["A=1", "a=2"]), ("a=%3B", ["a=%3B"]), ("\ta=b\t", ["a=b"]),
        ] as [(String, [String])])
    func parsed(_ field: String, _ pairs: [String]) {
        #expect(CookieHeader(field).pairs.map { "\($0.name)=\($0.value)" } == pairs)
    }

    @Test("gives a value only when its name is there once")
    func single() {
        let cookies = CookieHeader(["a=1; b=2", "a=3; B=4"])
        #expect(cookies.single("b") == "2")
        #expect(cookies.single("a") == nil)
        #expect(cookies.single("c") == nil)
        #expect(cookies.count("a") == 2)
        #expect(cookies.values("a") == ["1", "3"])
        #expect(cookies.count("") == 0)
    }

    /// The values that are found in one pass.
    private func find(_ name: String, or suffix: String, in field: String) -> (plain: [String], longer: [String]) {
        var found: (plain: [String], longer: [String]) = ([], [])
        let bytes = Array(field.utf8)
        bytes.withUnsafeBufferPointer { buffer in
            CookieHeader.find(Array(name.utf8), or: Array(suffix.utf8), in: buffer) { isLonger, range in
                let value = String(decoding: bytes[range], as: UTF8.self)
                if isLonger { found.longer.append(value) } else { found.plain.append(value) }
            }
        }
        return found
    }

    @Test("finds two cookies in one pass without listing the others")
    func find() {
        let found = find("a", or: "-x", in: "x=1; a=2; aa=3; a-x=5; a-xx=6; a-=7; a=4; =a; b=a; a-x =8")
        #expect(found.plain == ["2", "4"] && found.longer == ["5", "8"])
    }

    @Test(
        "finds the same as the list of all cookies",
        arguments: [
            "", ";", "a", "a=", "=a", "a=1", " a=1 ", "\ta = 1\t; b", "a=1;a=2", "a=1; ;a=2;", "aa=1; a", "a ; a=1",
            "ba=1",
            "a==1", "a=b=c", "A=1", "a=1; a", "a\u{301}=1", "é=1; a=ü", "a=1 2 ; x", "a=\"1\"", "a\t=\t1", "; a=1",
            "a=1;b",
            "a-x=1", "a-x", "a-x =1; a=2", "a-=1", "a-x-x=1", "a -x=1",
        ])
    func findLikeList(_ field: String) {
        let list = CookieHeader(field)
        let found = find("a", or: "-x", in: field)
        #expect(found.plain == list.values("a").map { String($0) })
        #expect(found.longer == list.values("a-x").map { String($0) })
    }

    @Test("keeps values out of descriptions")
    func description() {
        var dumped = ""
        dump(CookieHeader("a=canary"), to: &dumped)
        #expect(!"\(CookieHeader("a=canary"))\(dumped)".contains("canary"))
    }
}
