import Basics
import EventLoop
import HTTPServer
import TestSupport
import Testing

/// While a handler waits, libmicrohttpd asks for its response in each run, and suspends the connection after some.
@Suite("A handler that waits")
struct ParkTests {
    private static func oneThread(_ settings: inout ListenerSettings) {
        settings.threads = 1
        settings.limits.connectionsPerPeer = 0
    }

    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Waits once, in one of several ways.
    private static func wait(_ number: Int) async {
        switch number % 4 {
        case 0: await Task.yield()
        case 1: await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
        case 2: try? await Task.sleep(for: .milliseconds(1))
        default:
            for _ in 0..<20 { await Task.yield() }
        }
    }

    @Test func `answers each request of a kept connection`() async throws {
        let count = Counter()
        try await withServer(Self.oneThread) { _ in
            count.add()
            let number = count.value
            await Self.wait(number)
            return text("\(number)")
        } _: { server in
            let client = try RawClient(port: server.port)
            for number in 1...200 {
                try await client.send(Self.request)
                #expect(try await client.response().text == "\(number)")
            }
        }
    }

    @Test func `answers requests that come together, in their order`() async throws {
        let count = Counter()
        try await withServer(Self.oneThread) { _ in
            count.add()
            let number = count.value
            await Self.wait(number)
            return text("\(number)")
        } _: { server in
            let client = try RawClient(port: server.port)
            for round in 0..<20 {
                try await client.send(String(repeating: Self.request, count: 6))
                for number in 1...6 { #expect(try await client.response().text == "\(round * 6 + number)") }
            }
        }
    }

    @Test func `answers a request whose bytes come while another one waits or is answered`() async throws {
        let gate = Gate()
        try await withServer(Self.oneThread) { request in
            if request.path == "/gate" { await gate.pass() } else { await Task.yield() }
            return text(String(request.path))
        } _: { server in
            let waiting = try RawClient(port: server.port)
            try await waiting.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
            await gate.waitUntilHeld()
            // The bytes lie in the socket while the connection is parked, and nothing reports them a second time.
            try await waiting.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            let other = try RawClient(port: server.port)
            try await other.send("GET /other HTTP/1.1\r\nHost")
            gate.open()
            try await other.send(": a\r\n\r\n")
            #expect(try await waiting.response().text == "/gate")
            #expect(try await waiting.response().text == "/second")
            #expect(try await other.response().text == "/other")
        }
    }

    @Test("longer than libmicrohttpd asks is answered,", arguments: [true, false])
    func beyondTheLimit(hasTraffic: Bool) async throws {
        let gate = Gate()
        try await withServer(Self.oneThread) { request in
            if request.path == "/gate" { await gate.pass() }
            return text(String(request.path))
        } _: { server in
            let waiting = try RawClient(port: server.port)
            try await waiting.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
            await gate.waitUntilHeld()
            if hasTraffic {
                let other = try RawClient(port: server.port)
                for _ in 0..<40 {
                    try await other.send(Self.request)
                    #expect(try await other.response().text == "/")
                }
            } else {
                try await Task.sleep(for: .milliseconds(400))
            }
            gate.open()
            #expect(try await waiting.response().text == "/gate")
            try await waiting.send(Self.request)
            #expect(try await waiting.response().text == "/")
        }
    }

    /// Sends in pieces, of which libmicrohttpd writes one in each run.
    private static func large(_ count: Int, isStreamed: Bool) -> ServerResponse {
        guard isStreamed else { return ServerResponse(status: 200, body: [UInt8](repeating: 1, count: count)) }
        return ServerResponse(
            status: 200,
            body: .stream(length: count) { writer in
                for _ in 0..<(count / 10_000) { try await writer.write([UInt8](repeating: 1, count: 10_000)) }
            })
    }

    @Test(
        "does not keep a large response of another connection from being sent to its end,", .timeLimit(.minutes(1)),
        arguments: [true, false])
    func largeResponses(isStreamed: Bool) async throws {
        let gate = Gate()
        try await withServer {
            Self.oneThread(&$0)
            // So that no timer makes libmicrohttpd go on.
            $0.parkTime = .seconds(100_000)
        } handler: { request in
            if request.path == "/gate" { await gate.pass() }
            return Self.large(3_000_000, isStreamed: isStreamed)
        } _: { server in
            let waiting = try RawClient(port: server.port)
            try await waiting.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
            await gate.waitUntilHeld()
            for _ in 0..<3 {
                let other = try RawClient(port: server.port, receiveBuffer: 65_536)
                try await other.send(Self.request)
                #expect(try await other.response().body.count == 3_000_000)
            }
            gate.open()
            #expect(try await waiting.response().body.count == 3_000_000)
        }
    }

    @Test(
        "does not keep a large request of another connection from being received to its end,",
        .timeLimit(.minutes(1)), arguments: [true, false])
    func largeRequests(isRead: Bool) async throws {
        let gate = Gate()
        try await withServer {
            Self.oneThread(&$0)
            $0.parkTime = .seconds(100_000)
        } handler: { request in
            if request.path == "/gate" { await gate.pass() }
            let body = isRead ? try? await request.body.collect(upTo: .max) : nil
            return text("\(body?.count ?? -1)")
        } _: { server in
            let waiting = try RawClient(port: server.port)
            try await waiting.send("GET /gate HTTP/1.1\r\nHost: a\r\n\r\n")
            await gate.waitUntilHeld()
            for _ in 0..<3 {
                let other = try RawClient(port: server.port)
                // The bytes arrive together; libmicrohttpd takes as many in each run as its buffer holds.
                try await other.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
                try await other.send([UInt8](repeating: 1, count: 1_000_000))
                #expect(try await other.response().text == (isRead ? "1000000" : "-1"))
            }
            gate.open()
            #expect(try await waiting.response().status == 200)
        }
    }

    @Test(
        "is answered though no timer makes libmicrohttpd go on,", .timeLimit(.minutes(1)), arguments: 0..<4)
    func withoutTimer(number: Int) async throws {
        try await withServer {
            Self.oneThread(&$0)
            $0.parkTime = .seconds(100_000)
        } handler: { _ in
            await Self.wait(number)
            return text("hello")
        } _: { server in
            let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
            for _ in 0..<50 {
                for client in clients {
                    try await client.send(String(repeating: Self.request, count: 2))
                }
                for client in clients {
                    for _ in 0..<2 { #expect(try await client.response().text == "hello") }
                }
            }
        }
    }

    @Test("is cancelled when its client goes, at once or after the connection was suspended,", arguments: [0, 40])
    func clientGone(others: Int) async throws {
        let began = Mailbox<Void>()
        let ended = Mailbox<Bool>()
        try await withServer(Self.oneThread) { request in
            guard request.path == "/slow" else { return text("quick") }
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            ended.put(Task.isCancelled)
            return text("for nobody")
        } _: { server in
            for way in DisconnectTests.Departure.allCases {
                let client = try RawClient(port: server.port)
                try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                await began.next()
                let other = try RawClient(port: server.port)
                for _ in 0..<others {
                    try await other.send(Self.request)
                    #expect(try await other.response().text == "quick")
                }
                way.leave(client)
                #expect(await ended.next() == true)
                try await other.send(Self.request)
                #expect(try await other.response().text == "quick")
            }
        }
    }

    @Test func `gets a refusal when the listener stops, parked or suspended`() async throws {
        var settings = ListenerSettings()
        Self.oneThread(&settings)
        let began = Mailbox<Void>()
        let listener = try Listener(settings, logger: quietLogger) { request in
            guard request.path == "/slow" else { return text("quick") }
            began.put(())
            try? await Task.sleep(for: .seconds(1000))
            return text("cancelled")
        }
        try listener.start()
        var clients: [RawClient] = []
        for round in 0..<20 {
            let client = try RawClient(port: listener.port)
            try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.next()
            clients.append(client)
            // The first ten have been asked for often enough to be suspended.
            guard round == 9 else { continue }
            let other = try RawClient(port: listener.port)
            for _ in 0..<40 {
                try await other.send(Self.request)
                #expect(try await other.response().text == "quick")
            }
        }
        await listener.stop(grace: .zero)
        for client in clients { #expect(try await client.response().status == 504) }
    }

    @Test func `gets the refusal of the time limit`() async throws {
        try await withServer { settings in
            Self.oneThread(&settings)
            settings.limits.requestTime = .milliseconds(50)
        } handler: { _ in
            try? await Task.sleep(for: .seconds(1000))
            return text("much too late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send(Self.request)
            #expect(try await client.response().status == 504)
        }
    }

    @Test func `is one of a thousand slow calls, which are all answered`() async throws {
        let gate = Gate()
        try await withServer(Self.oneThread) { _ in
            await gate.pass()
            return text("done")
        } _: { server in
            // Each takes two descriptors of this process.
            let count = min(1000, (ProcessDescriptors.limit - 100) / 2 - ProcessDescriptors.openCount)
            #expect(count >= 100)
            var clients: [RawClient] = []
            for _ in 0..<count {
                let client = try RawClient(port: server.port)
                try await client.send(Self.request)
                clients.append(client)
            }
            await gate.waitUntilHeld(count)
            gate.open()
            for client in clients { #expect(try await client.response().text == "done") }
        }
    }

    @Test func `is answered whatever the others on the thread do`() async throws {
        try await withServer(Self.oneThread) { request in
            let number = Int(request.path.dropFirst()) ?? 0
            await Self.wait(number)
            return text("\(number)")
        } _: { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for first in 0..<20 {
                    group.addTask {
                        let client = try RawClient(port: server.port)
                        for step in 0..<50 {
                            let number = first * 7 + step
                            try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                            #expect(try await client.response().text == "\(number)")
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
