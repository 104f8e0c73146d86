import HTTPCore
import Testing

@Suite("A header field")
struct HTTPFieldTests {
    @Test(arguments: [
        ("Content-Type", "content-type"), ("CONTENT-TYPE", "Content-Type"), ("x-own", "X-Own"), ("X-OWN", "x-own"),
        ("ETag", "etag"), ("www-authenticate", "WWW-Authenticate"),
    ])
    func `has a name in which the case of letters does not matter`(_ left: String, _ right: String) throws {
        let (one, other) = (try HTTPField.Name(checking: left), try HTTPField.Name(checking: right))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.canonicalName == other.canonicalName)
        #expect(one.rawName == left)
    }

    @Test(arguments: [
        ("X-Own", "X-Owm"), ("X-Own", "X-Own2"), ("Accept", "Accept-"), ("Content-Type", "Content_Type"),
        // The letters A to Z alone have two cases: `@` and "`", `[` and `{` differ by the same bit.
        ("X-^", "X-~"), ("Host", "Date"),
    ])
    func `has a name that differs from others`(_ left: String, _ right: String) throws {
        #expect(try HTTPField.Name(checking: left) != HTTPField.Name(checking: right))
    }

    @Test func `knows its constants by text, each once`() throws {
        let constants: [HTTPField.Name] = [
            .accept, .acceptAPIVersion, .authorization, .cacheControl, .contentLength, .contentType, .cookie, .dPoP,
            .eTag,
            .host, .location, .origin, .retryAfter, .setCookie, .te, .traceparent, .tracestate, .transferEncoding,
            .userAgent, .vary, .wwwAuthenticate, .xForwardedFor, .xRequestID,
        ]
        for name in constants {
            #expect(try HTTPField.Name(checking: name.canonicalName) == name)
            #expect(try HTTPField.Name(checking: name.rawName.uppercased()) == name)
        }
        #expect(Set(constants).count == constants.count)
        #expect(HTTPField.Name.contentType.rawName == "Content-Type")
        #expect(HTTPField.Name.traceparent.rawName == "traceparent")
    }

    @Test(arguments: [
        "", " ", "a b", "a:", ":a", "a\r", "a\n", "a\0", "a\t", "ä", "\u{212A}", "a(", "a,b", "\"a\"", "a/b", "a\u{7F}",
        String(repeating: "a", count: 257),
    ])
    func `is refused for its name`(_ name: String) {
        #expect(throws: HTTPFieldError.name) { try HTTPField.Name(checking: name) }
    }

    @Test func `has a name of at most 256 bytes`() throws {
        #expect(try HTTPField.Name(checking: String(repeating: "a", count: 256)).rawName.utf8.count == 256)
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\rb", "a\nb", "a\0b", "\u{1}", "a\u{7F}", "\u{1B}[0m", "\r", "\n"])
    func `is refused for a control character in its value`(_ value: String) {
        #expect(throws: HTTPFieldError.controlCharacter(field: "X-Own")) {
            try HTTPField("X-Own", checking: value)
        }
    }

    @Test(arguments: [" a", "a ", "\ta", "a\t", " ", "\t"])
    func `is refused for a blank at the end of its value`(_ value: String) {
        #expect(throws: HTTPFieldError.blankAtEnd(field: "X-Own")) { try HTTPField("X-Own", checking: value) }
    }

    @Test(arguments: ["", "a", "a b\tc", "ä\u{80}", "\"quoted\"", "a,b;c=d"])
    func `keeps a good value as it is`(_ value: String) throws {
        let field = try HTTPField("X-Own", checking: value)
        #expect(field.value == value)
        #expect(field.withValueBytes { Array($0) } == Array(value.utf8))
    }

    @Test func `keeps bytes that are no text`() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0xE4, 0x62]
        let field = try bytes.withUnsafeBytes { try HTTPField(.server, checking: $0) }
        #expect(field.withValueBytes { Array($0) } == bytes)
        #expect(field.value.contains("\u{FFFD}"))
    }

    @Test func `tells its name and never its value`() throws {
        let field = try HTTPField(.authorization, checking: "Bearer canary")
        var dumped = ""
        dump(field, to: &dumped)
        for text in [
            "\(field)", String(reflecting: field), "\([field] as HTTPFields)", String(describing: Optional(field)),
        ] {
            #expect(!text.contains("canary"))
            #expect(text.contains("Authorization"), "\(text)")
        }
        #expect(!dumped.contains("canary"))
        let error = #expect(throws: HTTPFieldError.self) { try HTTPField(.cookie, checking: "canary\n") }
        #expect(error.map { "\($0)".contains("Cookie") && !"\($0)".contains("canary") } == true)
    }

    @Test func `takes numbers`() {
        #expect(HTTPField(.retryAfter, 5).value == "5")
        #expect(HTTPField(.contentLength, UInt64.max).value == "18446744073709551615")
    }
}

@Suite("A list of header fields")
struct HTTPFieldsTests {
    private let fields: HTTPFields = [
        .accept: "a/b", "X-Own": "1", .setCookie: "a=1", .accept: "c/d", .cookie: "x=1", .setCookie: "b=2",
        "x-own": "2", .cookie: "y=2",
    ]

    @Test func `keeps order and repetition`() {
        #expect(fields.map(\.value) == ["a/b", "1", "a=1", "c/d", "x=1", "b=2", "2", "y=2"])
        #expect(fields[values: "X-OWN"] == ["1", "2"])
        #expect(fields[values: .host].isEmpty)
        #expect(fields.contains(.cookie) && !fields.contains(.host))
    }

    @Test func `joins lists and cookies, and Set-Cookie never`() {
        #expect(fields[.accept] == "a/b, c/d")
        #expect(fields[.cookie] == "x=1; y=2")
        #expect(fields["X-Own"] == "1, 2")
        #expect(fields[.setCookie] == "a=1")
        #expect(fields[values: .setCookie] == ["a=1", "b=2"])
        #expect(fields[.host] == nil)
    }

    @Test func `replaces every occurrence where the first stood`() throws {
        var fields = fields
        try fields.set("X-OWN", checking: "3")
        #expect(fields.map(\.value) == ["a/b", "3", "a=1", "c/d", "x=1", "b=2", "y=2"])
        fields.set(.host, "h")
        #expect(fields.last?.value == "h")
        fields.remove(.setCookie)
        #expect(fields[values: .setCookie].isEmpty && fields.count == 6)
    }

    @Test func `stays as it was when a value is refused`() {
        var fields = fields
        #expect(throws: HTTPFieldError.controlCharacter(field: "Accept")) {
            try fields.set(.accept, checking: "a\r\nb")
        }
        #expect(fields == self.fields)
    }
}

@Suite("A method")
struct HTTPMethodTests {
    @Test(arguments: ["", " ", "GET ", "GE T", "GET\r", "G\u{C4}T", "a/b"])
    func `is a token`(_ text: String) {
        #expect(HTTPMethod(rawValue: text) == nil)
    }

    @Test func `is compared with regard to case`() {
        #expect(HTTPMethod(rawValue: "GET") == .get)
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "PROPFIND")?.rawValue == "PROPFIND")
    }

    @Test func `is safe when it promises to change nothing`() {
        #expect([HTTPMethod.get, .head, .options, .trace].allSatisfy { $0.isSafe })
        #expect(![HTTPMethod.post, .put, .patch, .delete, .connect].contains { $0.isSafe })
        #expect(HTTPMethod(rawValue: "PURGE")?.isSafe == false)
    }
}
