import Basics
import EventLoop
import HTTPClient
import HTTPCore
import Logs
import TestSupport
import Testing

@Suite("The transport tells apart")
struct TransportFaultTests {
    @Test func `a refused connection: not reached`() async throws {
        let peer = try ScriptedPeer { _ in }
        peer.stop()
        try await Calls.run { calls async throws in
            #expect(try await calls.failure(.post, peer.origin, [:], "x") == .notReached(.connect))
        }
    }

    @Test func `what failed and where, in the log and without the path`() async throws {
        let log = CallLog()
        let gone = try ScriptedPeer { _ in }
        gone.stop()
        let silent = try ScriptedPeer { connection in _ = connection.readRequest() }
        defer { silent.stop() }
        try await Calls.run(logger: log.logger) { calls async throws in
            _ = try await calls.failure(.get, gone.origin + "/secret?code=1")
            _ = try await calls.failure(.post, silent.origin + "/secret?code=2")
        }
        #expect(
            log.lines == [
                "warning peer not reached host=\(gone.origin) reason=connect",
                "warning no usable answer host=\(silent.origin) reason=closed",
            ])
    }

    @Test func `whom a call without an answer was made for`() async throws {
        let log = CallLog()
        let gone = try ScriptedPeer { _ in }
        gone.stop()
        let context = RequestContext(id: "r-9", trace: TraceContext(random: [UInt8](repeating: 1, count: 24)))
        try await Calls.run(logger: log.logger(.trace)) { calls async throws in
            _ = try await RequestScope.$current.withValue(context) { try await calls.failure(.get, gone.origin) }
            #expect(log.lines.count == 2 && log.lines.allSatisfy { $0.contains("request.id=r-9") })
            _ = try await calls.failure(.get, gone.origin)
            #expect(log.lines.count == 4 && !log.lines.dropFirst(2).joined().contains("request.id"))
        }
    }

    @Test func `nothing of an address behind its host at any level, since it may hold a session`() async throws {
        let log = CallLog()
        let query = "/canary?sessionUpgradeSSOTokenId=AQIC5w-canary"
        let gone = try ScriptedPeer { _ in }
        gone.stop()
        let closes = try ScriptedPeer { connection in _ = connection.readRequest() }
        defer { closes.stop() }
        let garbage = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write("canary is no answer\r\n\r\n")
        }
        defer { garbage.stop() }
        let errors = Locked<[String]>([])
        try await Calls.run(logger: log.logger(.trace)) { calls async throws in
            for origin in [gone.origin, closes.origin, garbage.origin, "http://no-such-host.invalid"] {
                let error = try #require(try await calls.failure(.post, origin + query))
                errors.withLock { $0.append("\(error)") }
            }
            let error = try #require(try await calls.failure(.get, closes.origin + query, within: .zero))
            errors.withLock { $0.append("\(error)") }
        }
        #expect(!log.lines.isEmpty && errors.withLock { $0.count } == 5)
        #expect(!(log.lines + errors.withLock { $0 }).joined().contains("canary"))
        let url = try #require(WebURL(gone.origin + query))
        #expect(!"\(url) \(ClientRequest(.get, url))".contains("AQIC5w"))
    }

    @Test func `a name without an address: not reached`() async throws {
        try await Calls.run { calls async throws in
            #expect(try await calls.failure(.get, "http://no-such-host.invalid/") == .notReached(.resolve))
        }
    }

    @Test func `a deadline in the past: not reached, nothing sent, not even on a kept connection`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).status == 200)
            for time in [Duration.zero, .seconds(-5)] {
                #expect(try await calls.failure(.get, peer.origin, within: time) == .notReached(.timeout))
            }
        }
        #expect(peer.requests.count == 1)
    }

    @Test func `a deadline that passes while the thread is held, before a place is free: nothing sent`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            async let first = calls.send(.get, peer.origin)
            await peer.waitForRequests(1)
            let executor = calls.thread.executor
            // Tasks run between the timers and the events of a turn.
            let outer = Task(executorPreference: executor) {
                let second = Task(executorPreference: executor) {
                    try await calls.failure(.post, peer.origin, within: .milliseconds(200))
                }
                await Task.yield()
                latch.open()
                let held = ContinuousClock.now + .milliseconds(400)
                while .now < held {}
                return try await second.value
            }
            #expect(try await outer.value == .notReached(.timeout))
            #expect(try await first.status == 200)
        }
        #expect(peer.requests.count == 1)
    }

    /// What a peer does with a request, and the fault that must come of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: ExchangeError
        let script: @Sendable (PeerConnection) -> Void

        init(_ name: String, _ fault: ExchangeError, _ script: @escaping @Sendable (PeerConnection) -> Void) {
            testDescription = name
            self.fault = fault
            self.script = script
        }

        /// Reads the request, writes the text and closes.
        init(_ name: String, _ fault: ExchangeError, says text: String) {
            self.init(name, fault) { connection in
                _ = connection.readRequest()
                connection.write(text)
            }
        }
    }

    static let closes: [Case] = [
        Case("closes at once", .closed) { _ in },
        Case("closes after the request", .closed, says: ""),
        Case("resets after the request", .closed) { connection in
            _ = connection.readRequest()
            connection.reset()
        },
        Case("closes inside the status line", .closed, says: "HTTP/1.1 20"),
        Case("closes inside the head", .closed, says: "HTTP/1.1 200 OK\r\nX: 1\r\n"),
        Case("closes after an interim answer", .closed, says: "HTTP/1.1 100 Continue\r\n\r\n"),
        Case("closes inside a body with a length", .closed, says: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
        Case("closes inside a chunk", .closed, says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf"),
        Case(
            "closes before the last chunk", .closed,
            says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
        Case("resets inside the body", .closed) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            connection.reset()
        },
    ]

    static let garbage: [Case] = [
        Case("speaks another protocol", .malformed, says: "SSH-2.0-OpenSSH_9.2\r\n"),
        Case("sends binary", .malformed, says: "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}"),
        Case("has a status that is no number", .malformed, says: "HTTP/1.1 abc OK\r\n\r\n"),
        Case("has a status of two digits", .malformed, says: "HTTP/1.1 20\r\n\r\n"),
        Case("has a status beyond 599", .malformed, says: "HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n"),
        Case("switches protocols unasked", .malformed, says: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
        Case("has a field without a colon", .malformed, says: answer("200 OK", ["nonsense"])),
        Case("has a field name with a space", .malformed, says: answer("200 OK", ["X Y: 1"])),
        Case("has a space before the colon", .malformed, says: answer("200 OK", ["X : 1"])),
        Case("folds a field", .malformed, says: answer("200 OK", ["X: 1", " 2"])),
        Case("has a NUL in a field", .malformed, says: answer("200 OK", ["X: 1\u{0}2"])),
        Case("has a control character in a field", .malformed, says: answer("200 OK", ["X: 1\u{8}2"])),
        Case("has two lengths", .malformed, says: answer("200 OK", ["Content-Length: 3"], "abcd")),
        Case("has a length that is no number", .malformed, says: "HTTP/1.1 200 OK\r\nContent-Length: +4\r\n\r\nabcd"),
        Case("has a negative length", .malformed, says: "HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\nabcd"),
        Case("has a list of lengths", .malformed, says: "HTTP/1.1 200 OK\r\nContent-Length: 4, 4\r\n\r\nabcd"),
        Case(
            "has a length and a transfer coding", .malformed,
            says: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case(
            "has a chunk size that is no number", .malformed,
            says: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n"),
    ]

    static let oversize: [Case] = [
        Case("announces too long a body", .tooLarge, says: "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"),
        Case(
            "announces a body beyond all numbers", .malformed,
            says: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        Case("sends too long a body in chunks", .tooLarge) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while connection.write("100\r\n" + String(repeating: "x", count: 256) + "\r\n") {}
        },
        Case("sends too long a body without a length", .tooLarge) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(String(repeating: "x", count: 256)) {}
        },
        Case("sends fields without end", .tooLarge) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write("X-Y: " + String(repeating: "x", count: 100) + "\r\n") {}
        },
        Case("sends one field without end", .tooLarge) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nX: ")
            while connection.write(String(repeating: "x", count: 256)) {}
        },
        Case("sends interim answers without end", .tooLarge) { connection in
            _ = connection.readRequest()
            while connection.write("HTTP/1.1 102 Processing\r\n\r\n") {}
        },
        Case("sends trailers without end", .tooLarge) { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
            while connection.write("X-Y: " + String(repeating: "x", count: 100) + "\r\n") {}
        },
    ]

    @Test("a peer that got the request and", arguments: closes + garbage + oversize)
    func unusable(_ scenario: Case) async throws {
        let peer = try ScriptedPeer { connection in
            if connection.number == 1 { return scenario.script(connection) }
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "next"))
        }
        defer { peer.stop() }
        try await Calls.run({
            $0.bodyLimit = 4096
            $0.headerLimit = 4096
        }) { calls async throws in
            #expect(try await calls.failure(.post, peer.origin, [:], "x") == .noUsableAnswer(scenario.fault))
            // Nothing of it is left for the next one.
            #expect(try await calls.send(.post, peer.origin, [:], "y").text == "next")
        }
        #expect(peer.connectionCount == 2)
    }

    @Test func `a body at the limit: answered`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], String(repeating: "x", count: 4096)))
        }
        defer { peer.stop() }
        try await Calls.run({ $0.bodyLimit = 4096 }) { calls async throws in
            #expect(try await calls.send(.get, peer.origin).body.count == 4096)
        }
    }

    @Test(arguments: [false, true])
    func `a deadline that passes before and while the answer comes: sent, outcome unknown`(_ drips: Bool) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            if drips {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
                while connection.write("x") {}
            }
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run({ $0.bodyLimit = 1_073_741_824 }) { calls async throws in
            let failure = try await calls.failure(.get, peer.origin, within: .milliseconds(300))
            #expect(failure == .noUsableAnswer(.timeout))
            await peer.waitForEnds(1)
        }
    }

    @Test func `a deadline that passes in the TLS handshake: not reached`() async throws {
        let peer = try ScriptedPeer { $0.waitForClose() }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let address = "https://127.0.0.1:\(peer.port)/"
            let failure = try await calls.failure(.get, address, within: .milliseconds(300))
            #expect(failure == .notReached(.timeout))
            await peer.waitForEnds(1)
        }
    }

    @Test func `a connect timeout before the deadline: not reached`() async throws {
        let peer = try ScriptedPeer { $0.waitForClose() }
        defer { peer.stop() }
        try await Calls.run({ $0.connectTimeout = .milliseconds(200) }) { calls async throws in
            #expect(try await calls.failure(.get, "https://127.0.0.1:\(peer.port)/") == .notReached(.timeout))
        }
    }

    @Test func `a deadline that passes while waiting for a connection: not reached`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 1 }) { calls async throws in
            let first = Task { try await calls.send(.get, peer.origin) }
            await peer.waitForRequests(1)
            let failure = try await calls.failure(.get, peer.origin, within: .milliseconds(200))
            #expect(failure == .notReached(.timeout))
            first.cancel()
            await #expect(throws: TransportError.cancelled) { try await first.value }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `waiting long for a connection: no connect timeout`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await Calls.run({
            $0.connectionsPerHost = 1
            $0.connectTimeout = .milliseconds(100)
        }) { calls async throws in
            async let first = calls.send(.get, peer.origin)
            await peer.waitForRequests(1)
            async let second = calls.send(.get, peer.origin)
            // The shorter deadline of this one passes after the connect timeout of the second would have.
            #expect(try await calls.failure(.get, peer.origin, within: .milliseconds(300)) == .notReached(.timeout))
            latch.open()
            #expect(try await first.status == 200)
            #expect(try await second.status == 200)
        }
    }

    @Test func `a peer that speaks plain HTTP where TLS is expected: not reached`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.read(5)
            connection.write(answer("400 Bad Request"))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.failure(.get, "https://127.0.0.1:\(peer.port)/") == .notReached(.tls))
        }
    }
}
