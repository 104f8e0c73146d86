import EventLoop
import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("The transport refuses to send")
struct RequestRefusalTests {
    private func expectRefusal(_ change: (inout ClientRequest) throws -> Void) async throws {
        // Nobody listens: a request that is refused only when it has a connection fails in another way.
        let gone = try ScriptedPeer { _ in }
        gone.stop()
        var request = ClientRequest(.post, try #require(WebURL(gone.origin + "/a?b")), body: [1])
        try change(&request)
        try await Calls.run { calls async throws in
            await #expect(throws: TransportError.notReached(.invalidRequest)) {
                try await calls.transport.send(request, deadline: .now + .seconds(60))
            }
        }
    }

    @Test(arguments: ["/a b", "/a\r\nX: y", "/a\u{0}", "/a#b", "/a?b", "/ä", "/a\\b", "a", "", "/\u{7F}"])
    func `a path that would leave its place`(_ path: String) async throws {
        try await expectRefusal { $0.url.path = path }
    }

    @Test(arguments: ["a b", "a HTTP/1.1\r\nX: y", "a\u{0}", "a#b", "ä"])
    func `a query that would leave its place`(_ query: String) async throws {
        try await expectRefusal { $0.url.query = query }
    }

    @Test(arguments: [
        "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Upgrade", "Expect", "content-length",
    ])
    func `a field that frames the message or manages the connection`(_ name: String) async throws {
        let name = try HTTPField.Name(checking: name)
        try await expectRefusal { $0.fields.append(HTTPField(name, "1")) }
    }

    @Test(arguments: [[0x01], [0x1B, 0x5B], [0x41, 0x7F], [0x08]] as [[UInt8]])
    func `a field with a control character, which cannot even be made`(_ value: [UInt8]) {
        #expect(throws: HTTPFieldError.controlCharacter(field: "X-Value")) {
            try value.withUnsafeBytes { try HTTPField("X-Value", checking: $0) }
        }
    }

    @Test func `CONNECT, which has no answer in this sense`() async throws {
        try await expectRefusal { $0.method = .connect }
    }

    @Test func `HEAD with a body`() async throws {
        try await expectRefusal { $0.method = .head }
    }

    @Test(arguments: ["a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\u{0}b"])
    func `a line break in a field value, of which no field can be made`(_ value: String) {
        var fields: HTTPFields = [:]
        #expect(throws: HTTPFieldError.controlCharacter(field: "Cookie")) {
            try fields.set(.cookie, checking: value)
        }
        #expect(fields.isEmpty)
    }

    @Test(
        "a setting out of its range",
        arguments: [
            ("connectionsPerHost", { @Sendable in $0.connectionsPerHost = 0 }),
            ("connections", { $0.connections = 100_000 }),
            ("waitingRequests", { $0.waitingRequests = -1 }),
            ("connectTimeout", { $0.connectTimeout = .zero }),
            ("idleTime", { $0.idleTime = .milliseconds(999) }),
            ("connectionLifetime", { $0.connectionLifetime = .seconds(86_401) }),
            ("headerLimit", { $0.headerLimit = 0 }),
            ("bodyLimit", { $0.bodyLimit = 1023 }),
            ("userAgent", { $0.userAgent = "a\r\nX: y" }),
            ("userAgent", { $0.userAgent = "" }),
        ] as [(String, @Sendable (inout HTTPClientSettings) -> Void)])
    func settings(_ name: String, _ change: @Sendable (inout HTTPClientSettings) -> Void) async throws {
        let thread = try EventThread()
        var settings = HTTPClientSettings()
        change(&settings)
        #expect(throws: HTTPClientError.setting(name: name)) {
            try CurlTransport(settings, thread: thread, logger: quietLogger)
        }
        await thread.stop()
    }
}
