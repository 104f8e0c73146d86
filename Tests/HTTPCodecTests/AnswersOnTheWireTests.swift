import Basics
import EventLoop
import HTTPClient
import HTTPCodec
import HTTPCore
import TestSupport
import Testing

@Suite("On a real connection", .timeLimit(.minutes(3)))
struct AnswersOnTheWireTests {
    /// Runs the body with a transport that trusts the tests' certificate, and a peer.
    private func run(
        secure: Bool, _ script: @escaping @Sendable (Channel, _ number: Int) -> Void,
        _ body: (CurlTransport, ScriptedPeer, _ origin: String) async throws -> Void
    ) async throws {
        let identity = try await TLSIdentity.shared.value
        let peer = try ScriptedPeer { connection in
            guard let channel = Channel(connection, secure ? identity : nil) else { return }
            script(channel, connection.number)
        }
        defer { peer.stop() }
        var settings = HTTPClientSettings()
        settings.caFile = identity.certificate
        let thread = try EventThread(name: "test")
        let transport = try CurlTransport(settings, thread: thread)
        do {
            try await body(transport, peer, "\(secure ? "https" : "http")://127.0.0.1:\(peer.port)")
        } catch {
            Issue.record(error)
        }
        await transport.shutdown()
        await thread.stop()
    }

    private func send(
        _ method: HTTPMethod, _ address: String, on transport: CurlTransport
    ) async throws -> ClientResponse {
        let url = try #require(WebURL(address))
        return try await transport.send(ClientRequest(method, url), deadline: .now + .seconds(60))
    }

    /// The class of a refusal, as callers see it.
    private static func fault(_ refusal: HTTPCodecError) -> ExchangeError {
        switch refusal {
        case .closedBeforeAnswer, .closedInHead, .closedInBody, .closedUncleanly: .closed
        case .headTooLarge, .tooManyFields, .tooManyInterim, .chunkExtensionsTooLarge, .bodyTooLarge: .tooLarge
        default: .malformed
        }
    }

    /// The attacks that need no limits but the transport's own, and no bytes before the end of the request.
    private static let attacks = AnswerAttack.all.filter {
        $0.wire.limits == ResponseLimits() && $0.wire.asked == .wholly
    }

    private static let next = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext".utf8)

    @Test("an answer that breaks a rule is refused, and its connection is closed", arguments: attacks, [false, true])
    func refused(_ attack: AnswerAttack, secure: Bool) async throws {
        try await run(secure: secure) { channel, number in
            guard channel.readHead() != nil else { return }
            channel.write(number == 1 ? attack.wire.bytes : Self.next)
            channel.end(number == 1 ? attack.wire.ending : .open)
        } _: { transport, peer, origin async throws in
            do {
                let reply = try await send(attack.wire.method, origin, on: transport)
                #expect(reply.status == attack.answered)
            } catch {
                #expect(error as? TransportError == .noUsableAnswer(Self.fault(attack.refusal)))
                #expect(attack.answered == nil)
            }
            // It waits for the client to close.
            await peer.waitForEnds(1)
            #expect(try await send(.post, origin, on: transport).body == Array("next".utf8))
            #expect(peer.connectionCount == 2)
        }
    }

    /// The well-formed answers that need no limits but the transport's own.
    private static let answers = GoodAnswer.all.filter { $0.wire.limits == ResponseLimits() }

    @Test(
        "an answer that arrives byte by byte is read, and the connection kept or not", arguments: answers,
        [false, true])
    func bytes(_ answer: GoodAnswer, secure: Bool) async throws {
        try await run(secure: secure) { channel, number in
            while channel.readHead() != nil {
                for byte in answer.wire.bytes { channel.write([byte]) }
                // A reset may overtake the bytes.
                if answer.wire.ending != .open { return channel.end(secure ? answer.wire.ending : .clean) }
            }
        } _: { transport, peer, origin async throws in
            let own = answer.wire.collected()
            for number in 1...2 {
                let reply = try await send(answer.wire.method, origin, on: transport)
                #expect(reply.status == own.status)
                #expect(reply.body == own.body)
                #expect(reply.fields.map { Line(name: $0.name.rawName, value: $0.value) } == own.lines)
                // Else the next request may go out on the connection that is about to end.
                if answer.wire.ending != .open { await peer.waitForEnds(number) }
            }
            #expect(peer.connectionCount == (answer.keeps && answer.wire.ending == .open ? 1 : 2))
        }
    }

    /// Streams an answer.
    ///
    /// - Returns: Its head, the bytes that came, and why no more did.
    private func stream(
        _ method: HTTPMethod, _ address: String, on transport: CurlTransport
    ) async throws -> (status: Int?, bytes: [UInt8], failure: TransportError?) {
        let request = StreamedRequest(ClientRequest(method, try #require(WebURL(address))))
        var status: Int?
        var bytes: [UInt8] = []
        do throws(TransportError) {
            let answer = try await transport.stream(request, deadline: .now + .seconds(60))
            status = answer.status
            for try await piece in answer.body { bytes += piece }
            return (status, bytes, nil)
        } catch {
            return (status, bytes, error)
        }
    }

    /// Those that a limit on the body refuses have none as streams.
    private static let streamedAttacks = attacks.filter { $0.refusal != .bodyTooLarge }

    @Test(
        "an answer that breaks a rule ends its stream with an error, and its connection is closed",
        arguments: streamedAttacks, [false, true])
    func refusedStream(_ attack: AnswerAttack, secure: Bool) async throws {
        try await run(secure: secure) { channel, number in
            guard channel.readHead() != nil else { return }
            channel.write(number == 1 ? attack.wire.bytes : Self.next)
            channel.end(number == 1 ? attack.wire.ending : .open)
        } _: { transport, peer, origin async throws in
            let outcome = try await stream(attack.wire.method, origin, on: transport)
            let failure = attack.answered == nil ? TransportError.noUsableAnswer(Self.fault(attack.refusal)) : nil
            #expect(outcome.failure == failure)
            if let answered = attack.answered { #expect(outcome.status == answered) }
            await peer.waitForEnds(1)
            #expect(try await stream(.post, origin, on: transport).bytes == Array("next".utf8))
            #expect(peer.connectionCount == 2)
        }
    }

    @Test("an answer that arrives byte by byte can be streamed", arguments: answers, [false, true])
    func streamedBytes(_ answer: GoodAnswer, secure: Bool) async throws {
        try await run(secure: secure) { channel, number in
            while channel.readHead() != nil {
                for byte in answer.wire.bytes { channel.write([byte]) }
                if answer.wire.ending != .open { return channel.end(secure ? answer.wire.ending : .clean) }
            }
        } _: { transport, peer, origin async throws in
            let own = answer.wire.collected()
            for number in 1...2 {
                let outcome = try await stream(answer.wire.method, origin, on: transport)
                #expect(outcome.status == own.status)
                #expect(outcome.bytes == own.body)
                #expect(outcome.failure == nil)
                if answer.wire.ending != .open { await peer.waitForEnds(number) }
            }
            #expect(peer.connectionCount == (answer.keeps && answer.wire.ending == .open ? 1 : 2))
        }
    }

    @Test("a stream over TLS goes on after it was held back, with bytes that were decrypted already")
    func heldBackOverTLS() async throws {
        let body = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await run(secure: true) { channel, _ in
            while channel.readHead() != nil {
                channel.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8))
                // A record that is longer than one read of the client.
                for start in stride(from: 0, to: body.count, by: 100_000) {
                    channel.write(Array(body[start..<min(start + 100_000, body.count)]))
                }
            }
        } _: { transport, peer, origin async throws in
            for _ in 1...2 {
                let outcome = try await stream(.get, origin, on: transport)
                #expect(outcome.bytes == body)
                #expect(outcome.failure == nil)
            }
            #expect(peer.connectionCount == 1)
        }
    }

    @Test(
        "one that the peer ends while it is idle is replaced, for any method", arguments: [HTTPMethod.get, .post],
        [false, true])
    func idleEnd(_ method: HTTPMethod, secure: Bool) async throws {
        try await run(secure: secure) { channel, _ in
            guard channel.readHead() != nil else { return }
            channel.write(Self.next)
            channel.end(.clean)
        } _: { transport, peer, origin async throws in
            for number in 1...3 {
                #expect(try await send(method, origin, on: transport).status == 200)
                await peer.waitForEnds(number)
            }
            #expect(peer.connectionCount == 3)
        }
    }

    @Test("bytes without a request close an idle one at once", arguments: [false, true])
    func idleBytes(secure: Bool) async throws {
        let latch = Latch()
        try await run(secure: secure) { channel, number in
            guard channel.readHead() != nil else { return }
            channel.write(Self.next)
            if number == 1 {
                latch.pass()
                channel.write(Self.next)
            }
            channel.end(.open)
        } _: { transport, peer, origin async throws in
            _ = try await send(.get, origin, on: transport)
            latch.open()
            // No other request makes the client look.
            await peer.waitForEnds(1)
            _ = try await send(.post, origin, on: transport)
            #expect(peer.connectionCount == 2)
        }
    }

    @Test("a new one resumes the TLS session of the one before")
    func resumption() async throws {
        let resumed = Locked<[Bool]>([])
        try await run(secure: true) { channel, _ in
            resumed.withLock { $0.append(channel.isResumed) }
            guard channel.readHead() != nil else { return }
            channel.write(Array("HTTP/1.1 204 No\r\nConnection: close\r\n\r\n".utf8))
            channel.end(.open)
        } _: { transport, peer, origin async throws in
            for _ in 1...2 { _ = try await send(.get, origin, on: transport) }
        }
        #expect(resumed.withLock { $0 } == [false, true])
    }

    /// Runs the body with a transport whose file of authorities the body replaces.
    private func runReplacing(
        trustLifetime: Duration = .seconds(600), _ script: @escaping @Sendable (Channel) -> Void,
        _ body: (CurlTransport, ScriptedPeer, _ origin: String, _ trust: (_ isKnown: Bool) async throws -> Void)
            async throws -> Void
    ) async throws {
        let identity = try await TLSIdentity.shared.value
        let folder = try TemporaryFolder()
        let (file, other) = (folder.file("trusted.pem"), folder.file("other.pem"))
        try #require(
            try await ChildProcess.run([
                "openssl", "req", "-x509", "-subj", "/CN=Other", "-days", "2", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:P-256", "-nodes", "-keyout", folder.file("other.key"), "-out", other,
            ]))
        let trust = { (isKnown: Bool) async throws in
            try #require(try await ChildProcess.run(["cp", isKnown ? identity.certificate : other, file]))
        }
        try await trust(true)
        let peer = try ScriptedPeer { connection in
            guard let channel = Channel(connection, identity) else { return }
            script(channel)
        }
        defer { peer.stop() }
        var settings = HTTPClientSettings()
        settings.caFile = file
        settings.idleTime = .seconds(3600)
        let thread = try EventThread(name: "test")
        let transport = try CurlTransport(
            settings, threads: [thread], trustLifetime: trustLifetime)
        do {
            try await body(transport, peer, "https://127.0.0.1:\(peer.port)", trust)
        } catch {
            Issue.record(error)
        }
        await transport.shutdown()
        await thread.stop()
    }

    @Test("a reload of the authorities closes an idle one, and a peer that is not trusted any more is refused")
    func trustReload() async throws {
        let resumed = Locked<[Bool]>([])
        try await runReplacing { channel in
            resumed.withLock { $0.append(channel.isResumed) }
            while channel.readHead() != nil { channel.write(Self.next) }
        } _: { transport, peer, origin, trust async throws in
            #expect(try await send(.get, origin, on: transport).status == 200)
            try await trust(false)
            // Not noticed yet.
            #expect(try await send(.get, origin, on: transport).status == 200)
            #expect(peer.connectionCount == 1)
            transport.reloadTrust()
            await peer.waitForEnds(1)
            await #expect(throws: TransportError.notReached(.certificateAuthority)) {
                try await send(.get, origin, on: transport)
            }
            try await trust(true)
            transport.reloadTrust()
            for _ in 1...2 { #expect(try await send(.get, origin, on: transport).status == 200) }
        }
        #expect(resumed.withLock { $0 } == [false, false])
    }

    @Test("authorities that are old end connections and sessions as a reload does")
    func trustAges() async throws {
        let resumed = Locked<[Bool]>([])
        try await runReplacing(trustLifetime: .zero) { channel in
            resumed.withLock { $0.append(channel.isResumed) }
            while channel.readHead() != nil { channel.write(Self.next) }
        } _: { transport, peer, origin, trust async throws in
            #expect(try await send(.get, origin, on: transport).status == 200)
            await peer.waitForEnds(1)
            #expect(try await send(.get, origin, on: transport).status == 200)
            await peer.waitForEnds(2)
            try await trust(false)
            await #expect(throws: TransportError.notReached(.certificateAuthority)) {
                try await send(.get, origin, on: transport)
            }
        }
        #expect(resumed.withLock { $0 } == [false, false])
    }

    @Test("one that carries a request during a reload of the authorities ends after its answer")
    func trustReloadInUse() async throws {
        let (asked, latch) = (Gate(), Latch())
        try await runReplacing { channel in
            while channel.readHead() != nil {
                asked.open()
                latch.pass()
                channel.write(Self.next)
            }
        } _: { transport, peer, origin, _ async throws in
            async let first = send(.post, origin, on: transport)
            await asked.pass()
            transport.reloadTrust()
            latch.open()
            #expect(try await first.status == 200)
            await peer.waitForEnds(1)
            #expect(try await send(.post, origin, on: transport).status == 200)
            #expect(peer.connectionCount == 2)
        }
    }

    @Test("the client ends TLS in order")
    func closeNotify() async throws {
        let isEnded = Locked(false)
        try await run(secure: true) { channel, _ in
            guard channel.readHead() != nil else { return }
            channel.write(Array("HTTP/1.1 204 No\r\nConnection: close\r\n\r\n".utf8))
            channel.end(.open)
            isEnded.withLock { $0 = channel.wasEnded }
        } _: { transport, peer, origin async throws in
            _ = try await send(.get, origin, on: transport)
            await peer.waitForEnds(1)
        }
        #expect(isEnded.withLock { $0 })
    }
}
