import HTTPServer
import TestSupport
import Testing

@Suite("A connection is dropped", .timeLimit(.minutes(1)))
struct ResponseRateTests {
    @Test(arguments: [true, false]) func `for a client that takes its answer more slowly than it has to`(
        isDue: Bool
    ) async throws {
        let body = [UInt8](repeating: 1, count: 16 << 20)
        try await withServer({
            $0.limits.responseRate = isDue ? 16 << 20 : 0
            $0.limits.responseGrace = .zero
            $0.limits.responseTime = .seconds(isDue ? 1000 : 1)
        }) { _ in
            ServerResponse(status: 200, body: body)
        } _: { server in
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            guard isDue else {
                // Without a rate there is only the time, and the more of it the longer the answer is.
                #expect(try await client.response().body.count == body.count)
                return
            }
            while client.sendWithoutWaiting([0]) > 0 { try await Task.sleep(for: .milliseconds(5)) }
            let all = try await client.receiveAll()
            #expect(all.count < body.count)
        }
    }

    @Test func `but not for one that takes it fast enough`() async throws {
        let body = [UInt8](repeating: 1, count: 16 << 20)
        try await withServer({
            $0.limits.responseRate = 1
            $0.limits.responseGrace = .zero
        }) { _ in
            ServerResponse(status: 200, body: body)
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().body.count == body.count)
        }
    }
}
