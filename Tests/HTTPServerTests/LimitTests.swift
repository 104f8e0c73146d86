import Basics
import HTTPServer
import TestSupport
import Testing

@Suite("A listener does not wait for ever")
struct LimitTests {
    private static let short = Duration.milliseconds(200)
    private static let hello: RequestHandler = { _ in text("hello") }

    @Test(
        "for a head:",
        arguments: ["", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: b", "\r\n\r\n\r\n"])
    func slowHead(start: String) async throws {
        try await withServer({ $0.limits.headerTime = Self.short }, handler: Self.hello) { server in
            let client = try RawClient(port: server.port)
            try await client.send(start)
            let answer = try await client.response()
            #expect(answer.status == 408)
            #expect(answer.text.contains("slow"))
            #expect(try await client.isClosed())
        }
    }

    @Test func `for a head that comes byte by byte`() async throws {
        try await withServer({ $0.limits.headerTime = Self.short }, handler: Self.hello) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
            let isRefused = Locked(false)
            let status = Task {
                defer { isRefused.withLock { $0 = true } }
                return try await client.response().status
            }
            // The reader has the client's queue, so the bytes go past it.
            while !isRefused.withLock({ $0 }) {
                _ = client.sendWithoutWaiting([UInt8(ascii: "b")])
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await status.value == 408)
        }
    }

    @Test func `for a second head that comes byte by byte`() async throws {
        try await withServer(
            {
                $0.limits.headerTime = Self.short
                $0.limits.idle = Self.short
            }, handler: Self.hello
        ) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 200)
            try await client.send("GE")
            _ = try await client.receiveAll()
        }
    }

    @Test func `for the next request`() async throws {
        try await withServer(
            {
                $0.limits.idle = Self.short
                $0.limits.headerTime = Self.short
            }, handler: Self.hello
        ) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 200)
            #expect(try await client.isClosed())
        }
    }

    @Test(
        "for a body:", arguments: ["Content-Length: 5\r\n\r\nhell", "Transfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n"])
    func slowBody(rest: String) async throws {
        let faults = Mailbox<BodyError?>()
        try await withServer({ $0.limits.bodyTime = Self.short }) { request in
            do throws(BodyError) {
                _ = try await request.body.collect(upTo: 100)
                faults.put(nil)
            } catch { faults.put(error) }
            return text("late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\n\(rest)")
            #expect(try await client.response().status == 408)
            #expect(try await client.isClosed())
            #expect(await faults.next() == .timedOut)
        }
    }

    @Test func `for a body, without the time for which nobody read it`() async throws {
        let gate = Gate()
        let bodyTime = Duration.seconds(2)
        try await withServer({
            $0.limits.body = 100_000_000
            $0.limits.bodyTime = bodyTime
        }) { request in
            await gate.pass()
            do throws(BodyError) {
                return text("\(try await request.body.collect(upTo: 100_000_000).count)")
            } catch { return text("\(error)") }
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let length = 50_000
            let chunk = Array(
                "\(String(length, radix: 16))\r\n\(String(repeating: "0", count: length))\r\n".utf8)
            var sent = 0
            var idle = 0
            while idle < 1000 {
                let count = client.sendWithoutWaiting(Array(chunk.dropFirst(sent % chunk.count)))
                sent += count
                idle = count == 0 ? idle + 1 : 0
                if count == 0 { await Task.yield() }
            }
            try await Task.sleep(for: bodyTime + .milliseconds(300))
            gate.open()
            // Some sweeps pass before the end of the body.
            try await client.send(Array(chunk.dropFirst(sent % chunk.count)))
            try await Task.sleep(for: Self.short / 2)
            try await client.send("0\r\n\r\n")
            #expect(try await client.response().text == "\((sent / chunk.count + 1) * length)")
        }
    }

    @Test func `for the next request, though a head may take its time`() async throws {
        try await withServer(
            {
                $0.limits.idle = Self.short
                $0.limits.headerTime = .seconds(100_000)
            }, handler: Self.hello
        ) { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 200)
            #expect(try await client.isClosed())
        }
    }

    @Test func `for a body that nobody reads`() async throws {
        try await withServer({ $0.limits.bodyTime = Self.short }, handler: Self.hello) { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell")
            #expect(try await client.response().status == 408)
        }
    }

    @Test func `for a handler, and cancels it`() async throws {
        let ends = Mailbox<Bool>()
        try await withServer({ $0.limits.requestTime = Self.short }) { _ in
            try? await Task.sleep(for: .seconds(1000))
            ends.put(Task.isCancelled)
            return text("late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.status == 504)
            #expect(answer.text.contains("deadline"))
            #expect(await ends.next() == true)
            // The late answer is not taken for that of the next request.
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 504)
        }
    }

    @Test func `for a handler that does not heed its cancellation`() async throws {
        let gate = Gate()
        try await withServer({ $0.limits.requestTime = Self.short }) { request in
            if request.path == "/slow" { await gate.pass() }
            return text("late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().status == 504)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "late")
            gate.open()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.response().text == "late")
        }
    }

    @Test func `for a handler that does not read while the client sends`() async throws {
        try await withServer({
            $0.limits.requestTime = Self.short
            $0.limits.body = 1 << 30
        }) { _ in
            try? await Task.sleep(for: .seconds(1000))
            return text("late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n")
            try await client.send([UInt8](repeating: 1, count: 200_000))
            do { #expect(try await client.response().status == 504) } catch RawClient.Fault.reset {}
        }
    }

    @Test func `and lets the refusal choose the status`() async throws {
        try await withServer({ $0.limits.requestTime = Self.short }) { status, reason in
            ServerResponse(
                status: reason == "deadline" ? 503 : status, headers: [ResponseHeader("Retry-After", "1")],
                body: Array(reason.utf8))
        } handler: { _ in
            try? await Task.sleep(for: .seconds(1000))
            return text("late")
        } _: { server in
            let client = try RawClient(port: server.port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await client.response()
            #expect(answer.status == 503)
            #expect(answer.header("retry-after") == "1")
            #expect(answer.text == "deadline")
        }
    }

    @Test func `for a client that does not take its answer`() async throws {
        let body = [UInt8](repeating: 1, count: 64 << 20)
        try await withServer({ $0.limits.responseTime = Self.short }) { request in
            guard request.path == "/stream" else {
                // Allows itself some more time, by its size: kept small here by a length that is a lie to nobody.
                return ServerResponse(status: 200, body: .stream(length: nil) { try await $0.write(body) })
            }
            return ServerResponse(status: 200, body: .stream(length: body.count) { try await $0.write(body) })
        } _: { server in
            for path in ["/", "/stream"] {
                let client = try RawClient(port: server.port, receiveBuffer: 4096)
                try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                // Reads nothing until the server has given up.
                while client.sendWithoutWaiting([0]) > 0 { try await Task.sleep(for: .milliseconds(5)) }
                let all = try await client.receiveAll()
                #expect(all.count < body.count)
            }
        }
    }
}
