import Basics
import HTTPCore
import HTTPServer
import TestSupport
import Testing

@Suite("A listener at its bound of connections")
struct ConnectionLimitTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let hello: RequestHandler = { _ in text("hello") }

    /// A connection that got an answer and lies idle since.
    private func idle(_ server: Listener) async throws -> RawClient {
        let client = try RawClient(port: server.port)
        try await client.send(Self.request)
        #expect(try await client.response().status == 200)
        return client
    }

    /// A connection whose head has begun; the tests wait until the server has seen it.
    private func busy(_ server: Listener) async throws -> RawClient {
        let client = try await idle(server)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n")
        return client
    }

    @Test func `refuses one more while all have a request under way`() async throws {
        let running = Mailbox<Void>()
        let gate = Gate()
        try await withServer({ $0.limits.connections = 2 }) { _ in
            running.put(())
            await gate.pass()
            return text("hello")
        } _: { server in
            let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
            for client in clients {
                try await client.send(Self.request)
                await running.next()
            }
            let third = try RawClient(port: server.port)
            let refusal = try await third.response()
            #expect(refusal.status == 503 && refusal.text.contains("busy"))
            #expect(try await third.isClosed())
            gate.open()
            for client in clients { #expect(try await client.response().status == 200) }
            // Both lie idle now, and one of them makes room.
            try await eventually { try await answer(server) == 200 }
        }
    }

    @Test func `lets the one go that lies idle longest`() async throws {
        try await withServer({ $0.limits.connections = 3 }, handler: Self.hello) { server in
            let oldest = try await idle(server)
            let others = [try await idle(server), try await idle(server)]
            let fourth = try await idle(server)
            #expect(try await oldest.isClosed())
            for client in others + [fourth] {
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
            }
        }
    }

    @Test func `takes a connection that has just been served for the youngest, however old it is`() async throws {
        try await withServer({ $0.limits.connections = 3 }, handler: Self.hello) { server in
            let served = try await idle(server)
            let others = [try await idle(server), try await idle(server)]
            for client in others + [served] {
                // Another millisecond than the one before.
                try await Task.sleep(for: .milliseconds(5))
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
            }
            let fourth = try await idle(server)
            #expect(try await others[0].isClosed())
            for client in [served, others[1], fourth] {
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
            }
        }
    }

    @Test func `lets a half-sent head go as any idle connection, and says why`() async throws {
        try await withServer({ $0.limits.connections = 3 }, handler: Self.hello) { server in
            let begun = try await busy(server)
            // Until its request line has been read there is nothing to answer.
            try await Task.sleep(for: .milliseconds(300))
            let others = [try await idle(server), try await idle(server)]
            let fourth = try await idle(server)
            let refusal = try await begun.response()
            #expect(refusal.status == 503 && refusal.text.contains("busy"))
            #expect(try await begun.isClosed())
            for client in others + [fourth] {
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
            }
        }
    }

    @Test func `takes a head that goes on and never ends for as old as it is`() async throws {
        try await withServer({ $0.limits.connections = 3 }, handler: Self.hello) { server in
            // Served once, so that it is older than the others, whichever thread accepts them.
            let trickling = try await idle(server)
            let others = [try await idle(server), try await idle(server)]
            // The request line, and each byte after it, makes the connection no younger.
            for piece in ["GET / HTTP/1.1\r\nHost: a\r\n", "X-More", ": 1"] {
                try await trickling.send(piece)
                try await Task.sleep(for: .milliseconds(150))
            }
            let fourth = try await idle(server)
            #expect(try await trickling.response().status == 503)
            for client in others + [fourth] {
                try await client.send(Self.request)
                #expect(try await client.response().status == 200)
            }
        }
    }

    @Test func `serves while all other places are half-sent heads, however many come`() async throws {
        try await withServer({ $0.limits.connections = 8 }, handler: Self.hello) { server in
            var begun: [RawClient] = []
            for _ in 0..<40 {
                begun.append(try RawClient(port: server.port))
                try? await begun[begun.count - 1].send("GET / HTTP/1.1\r\nHost: a\r\n")
                try await eventually { try await answer(server) == 200 }
            }
        }
    }

    /// A request whose body never comes to its end.
    private static let halfBody = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"

    @Test(
        "serves while all other places are half-sent bodies, however many come; each is told why it goes",
        arguments: [true, false])
    func halfSentBodies(isRead: Bool) async throws {
        try await withServer({ $0.limits.connections = 8 }) { request in
            if isRead, request.method == .post { _ = try? await request.body.collect(upTo: 1000) }
            return text("hello")
        } _: { server in
            let first = try RawClient(port: server.port)
            try await first.send(Self.halfBody)
            // The order in which they go depends on when each thread has seen them, so the flood lasts until the first is told.
            let isTold = Locked(false)
            let told = Task {
                defer { isTold.withLock { $0 = true } }
                return try await first.response()
            }
            var begun: [RawClient] = []
            while begun.count < 40 || !isTold.withLock({ $0 }) {
                begun.append(try RawClient(port: server.port))
                try? await begun[begun.count - 1].send(Self.halfBody)
                try await eventually { try await answer(server) == 200 }
            }
            let refusal = try await told.value
            #expect(refusal.status == 503 && refusal.text.contains("busy"))
            #expect(try await first.isClosed())
        }
    }

    @Test func `lets an idle connection go before one whose body is on its way`() async throws {
        try await withServer({ $0.limits.connections = 2 }) { request in
            if request.method == .post { _ = try? await request.body.collect(upTo: 1000) }
            return text("hello")
        } _: { server in
            let sending = try RawClient(port: server.port)
            try await sending.send(Self.halfBody)
            let idle = try await idle(server)
            // Refused while the server has yet to see that the answer before has left.
            var third: RawClient?
            try await eventually {
                let client = try RawClient(port: server.port)
                try await client.send(Self.request)
                guard try await client.response().status == 200 else { return false }
                third = client
                return true
            }
            #expect(try await idle.isClosed())
            try await sending.send(String(repeating: " ", count: 99))
            #expect(try await sending.response().status == 200)
            try await #require(third).send(Self.request)
            #expect(try await third?.response().status == 200)
        }
    }

    @Test func `never holds more than some beyond it, however many come`() async throws {
        try await withServer({ $0.limits.connections = 4 }, handler: Self.hello) { server in
            var clients: [RawClient] = []
            for _ in 0..<200 { clients.append(try RawClient(port: server.port)) }
            try await eventually { try await answer(server) == 200 }
            var served = 0
            for client in clients {
                guard (try? await client.send(Self.request)) != nil else { continue }
                if (try? await client.response())?.status == 200 { served += 1 }
            }
            #expect(1...4 ~= served)
        }
    }

    @Test func `bounds one peer at 256 unless told otherwise`() {
        #expect(ListenerSettings().limits.connectionsPerPeer == 256)
    }

    @Test func `refuses one peer more than it may have, with room for others`() async throws {
        try await withServer({ $0.limits.connectionsPerPeer = 2 }, handler: Self.hello) { server in
            let clients = [try await idle(server), try await idle(server)]
            #expect(try await RawClient(port: server.port).response().status == 503)
            clients[0].close()
            try await eventually { try await answer(server) == 200 }
        }
    }

    @Test func `binds no proxy by the bound for one peer`() async throws {
        try await withServer(
            {
                $0.limits.connectionsPerPeer = 2
                $0.isProxy = { $0.isLoopback }
            }, handler: Self.hello
        ) { server in
            var clients: [RawClient] = []
            for _ in 0..<5 { clients.append(try await idle(server)) }
            #expect(clients.count == 5)
        }
    }

    /// The status that a connection of its own gets.
    private func answer(_ server: Listener) async throws -> Int {
        let client = try RawClient(port: server.port)
        defer { client.close() }
        try await client.send(Self.request)
        return try await client.response().status
    }

    /// Tries again until it holds, for what the server notices in its own time.
    private func eventually(_ holds: () async throws -> Bool) async throws {
        for _ in 0..<2000 {
            if (try? await holds()) == true { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("never held")
    }
}
