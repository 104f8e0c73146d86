import Basics
import Glibc
import HTTPServer
import Logs
import TestSupport
import Testing

@Suite("The log of a listener")
struct ListenerLogTests {
    /// Keeps every line with its metadata.
    private struct Recorder: LogDestination {
        let lines: Locked<[String]>

        func write(_ event: LogEvent) {
            lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata)") }
        }
    }

    @Test func `names the reason and nothing that the client sent`() async throws {
        let lines = Locked<[String]>([])
        var settings = ListenerSettings()
        settings.limits.headerTime = .milliseconds(100)
        let listener = try Listener(
            settings, logger: Logger(label: "test", level: .trace, to: Recorder(lines: lines)),
            handler: { _ in ServerResponse(status: 200, headers: [ResponseHeader("X", "canary\r\n")]) })
        try listener.start()
        for request in [
            "GET /canary HTTP/1.1\r\nHost: a\r\nCookie: canary\r\n\r\n",
            "GET /canary HTTP/1.1\r\nHost: canary canary\r\n\r\n",
            "GET /canary#canary HTTP/1.1\r\nHost: a\r\n\r\n",
            "canary",
            "canary / HTTP/9.9\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: canary\r\n\r\ncanary",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\ncanary\r\n",
            "GET / HTTP/1.1\r\ncanary\r\n\r\n",
        ] {
            let client = try RawClient(port: listener.port)
            try await client.send(request)
            _ = try? await client.receiveAll()
        }
        await listener.stop(grace: .zero)
        let all = lines.withLock { $0 }
        #expect(!all.contains { $0.contains("canary") })
        #expect(all.contains { $0.contains("listening") && $0.contains("libmicrohttpd") })
        #expect(all.contains { $0.hasPrefix("debug refused a request") && $0.contains("host") })
        #expect(all.contains { $0.hasPrefix("warning a response could not be sent") })
    }

    /// Gives the process its descriptors back as soon as the log says that there are none.
    private struct Relief: LogDestination {
        let limit: rlimit
        let told: Locked<[Logger.Message]>

        func write(_ event: LogEvent) {
            guard event.level == .warning else { return }
            told.withLock { $0.append(event.message) }
            var limit = limit
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
    }

    @Test func `says that no descriptors are left, and goes on when there are some again`() async throws {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        let told = Locked<[Logger.Message]>([])
        let listener = try Listener(
            ListenerSettings(), logger: Logger(label: "test", level: .info, to: Relief(limit: before, told: told)),
            handler: { _ in text("hello") })
        try listener.start()
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
        // Connections of earlier tests may still be closing, which leaves descriptors after all: then once more.
        for _ in 0..<100 where told.withLock({ $0.isEmpty }) {
            let lowestFree = open("/dev/null", O_RDONLY)
            close(lowestFree)
            // One descriptor for the client; none for the other end of its connection.
            var narrow = rlimit(rlim_cur: rlim_t(lowestFree + 1), rlim_max: before.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &narrow)
            try? await exchange(listener)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        }
        try await exchange(listener)
        await listener.stop(grace: .zero)
        #expect(told.withLock { $0 } == ["no descriptors or memory to accept connections"])
    }

    @Test func `lets idle connections go while no descriptors are left, and serves`() async throws {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        let listener = try Listener(ListenerSettings(), logger: quietLogger, handler: { _ in text("hello") })
        try listener.start()
        defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before) }
        var idle: [RawClient] = []
        for _ in 0..<20 {
            idle.append(try RawClient(port: listener.port))
            try await idle[idle.count - 1].send("GET / HTTP/1.1\r\nHost: a\r\n")
        }
        try await exchange(listener)
        let lowestFree = open("/dev/null", O_RDONLY)
        close(lowestFree)
        // One descriptor for the client; the other end of its connection takes the place of an idle one.
        var narrow = rlimit(rlim_cur: rlim_t(lowestFree + 1), rlim_max: before.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &narrow)
        try await exchange(listener)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        await listener.stop(grace: .zero)
    }

    private func exchange(_ listener: Listener) async throws {
        let client = try RawClient(port: listener.port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try await client.response().status == 200)
    }
}
