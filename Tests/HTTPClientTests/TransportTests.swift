import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("The transport")
struct TransportTests {
    @Test func `carries method, target, fields and body unchanged`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("201 Created", ["X-A: 1"], "done"))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let reply = try await calls.send(
                .post, peer.origin + "/a/../b%2Fc;x=1?q=%20&q=", [.contentType: "application/json", .cookie: "a=b"],
                "{\"k\":1}")
            #expect(reply.status == 201)
            #expect(reply.text == "done")
        }
        let request = try #require(peer.requests.first)
        #expect(request.lines.first == "POST /a/../b%2Fc;x=1?q=%20&q= HTTP/1.1")
        #expect(request.values("host") == ["127.0.0.1:\(peer.port)"])
        #expect(request.values("content-type") == ["application/json"])
        #expect(request.values("cookie") == ["a=b"])
        #expect(request.values("content-length") == ["7"])
        #expect(String(decoding: request.body, as: UTF8.self) == "{\"k\":1}")
    }

    @Test func `adds no field but host, user agent and length`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            _ = try await calls.send(.get, peer.origin)
            _ = try await calls.send(.post, peer.origin, [:], String(repeating: "x", count: 2_000_000))
            _ = try await calls.send(.get, peer.origin, [.userAgent: "mine", .accept: "text/x"])
        }
        let names = peer.requests.map { request in
            Set(request.lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() })
        }
        #expect(
            names == [
                ["host", "user-agent"], ["host", "user-agent", "content-length"], ["host", "user-agent", "accept"],
            ])
        #expect(peer.requests.last?.values("user-agent") == ["mine"])
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"])
    func `sends every method without a body`(_ name: String) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
        defer { peer.stop() }
        let method = try #require(HTTPMethod(rawValue: name))
        try await Calls.run { calls async throws in
            #expect(try await calls.send(method, peer.origin + "/x").status == 204)
        }
        let request = try #require(peer.requests.first)
        #expect(request.lines.first == "\(name) /x HTTP/1.1")
        #expect(request.values("content-length") == (["POST", "PUT", "PATCH"].contains(name) ? ["0"] : []))
        #expect(request.values("transfer-encoding").isEmpty)
    }

    @Test(arguments: ["GET", "PUT", "DELETE"])
    func `sends a body with other methods`(_ name: String) async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer())
        }
        defer { peer.stop() }
        let method = try #require(HTTPMethod(rawValue: name))
        try await Calls.run { calls in _ = try await calls.send(method, peer.origin + "/x", [:], "body") }
        let request = try #require(peer.requests.first)
        #expect(request.lines.first == "\(name) /x HTTP/1.1")
        #expect(request.body == Array("body".utf8))
    }

    @Test func `keeps repeated fields apart and in order`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", ["Set-Cookie: a=1, b", "X: y", "set-cookie: c=2", "Set-Cookie:"]))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let reply = try await calls.send(.get, peer.origin)
            #expect(reply.fields[values: .setCookie] == ["a=1, b", "c=2", ""])
            #expect(
                reply.fields.map(\.name.rawName) == ["Content-Length", "Set-Cookie", "X", "set-cookie", "Set-Cookie"])
        }
    }

    @Test func `sends repeated and empty fields as given`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer())
        }
        defer { peer.stop() }
        let name = HTTPField.Name("X-Twice")
        var fields = HTTPFields()
        fields.append(HTTPField(name, "1"))
        fields.append(HTTPField(name, ""))
        fields.append(HTTPField(name, "zwölf"))
        try await Calls.run { calls in _ = try await calls.send(.get, peer.origin, fields) }
        #expect(peer.requests.first?.values("x-twice") == ["1", "", "zwölf"])
    }

    @Test func `passes interim answers over`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 100 Continue\r\nX: no\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            connection.write(answer("200 OK", ["X: yes"], "final"))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let reply = try await calls.send(.post, peer.origin, [:], "x")
            #expect(reply.status == 200)
            #expect(reply.text == "final")
            #expect(reply.fields.map(\.value) == ["5", "yes"])
        }
    }

    @Test func `decodes chunks and drops trailers`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n")
                connection.write("3;ext=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Sum: 1\r\nSet-Cookie: t=1\r\n\r\n")
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 {
                let reply = try await calls.send(.get, peer.origin)
                #expect(reply.text == "abcde")
                #expect(reply.fields[values: .setCookie].isEmpty)
            }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `reads a body that ends with the connection`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.0 200\r\n\r\nall of it")
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).text == "all of it")
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `follows no redirect`(_ status: Int) async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                connection.write(answer("\(status) Moved", ["Location: /elsewhere", "Set-Cookie: kept=no"]))
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let reply = try await calls.send(.post, peer.origin + "/here", [:], "x")
            #expect(reply.status == status)
            #expect(reply.fields[.location] == "/elsewhere")
            _ = try await calls.send(.get, peer.origin + "/again")
        }
        #expect(peer.requests.map { $0.lines.first } == ["POST /here HTTP/1.1", "GET /again HTTP/1.1"])
        #expect(peer.requests.last?.values("cookie") == [])
    }

    @Test(arguments: ["401 Unauthorized", "407 Proxy Authentication Required", "503 Service Unavailable"])
    func `returns an error status as an answer, once`(_ status: String) async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                connection.write(answer(status, ["WWW-Authenticate: Basic realm=x", "Retry-After: 1"]))
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            #expect(try await calls.send(.get, peer.origin).status == Int(status.prefix(3)))
        }
        #expect(peer.requests.count == 1)
    }

    @Test func `leaves an encoded body as it came`() async throws {
        let peer = try ScriptedPeer { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", ["Content-Encoding: gzip"], "not really"))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            let reply = try await calls.send(.get, peer.origin)
            #expect(reply.text == "not really")
            #expect(reply.fields[.contentEncoding] == "gzip")
        }
    }

    @Test func `reads the head of an answer to HEAD and leaves the connection usable`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
            }
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in
            for _ in 0..<2 {
                let reply = try await calls.send(.head, peer.origin)
                #expect(reply.fields[.contentLength] == "99999999")
                #expect(reply.body.isEmpty)
            }
        }
        #expect(peer.connectionCount == 1)
    }

    @Test func `speaks IPv6`() async throws {
        let peer = try ScriptedPeer(ipv6: true) { connection in
            _ = connection.readRequest()
            connection.write(answer("200 OK", [], "six"))
        }
        defer { peer.stop() }
        try await Calls.run { calls async throws in #expect(try await calls.send(.get, peer.origin).text == "six") }
        #expect(peer.requests.first?.values("host") == ["[::1]:\(peer.port)"])
    }

    @Test func `carries bodies of megabytes both ways`() async throws {
        let peer = try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                connection.write(request.body)
            }
        }
        defer { peer.stop() }
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try await Calls.run { calls async throws in
            let url = try #require(WebURL(peer.origin))
            let reply = try await calls.transport.send(
                ClientRequest(.put, url, body: body), deadline: .now + .seconds(60))
            #expect(reply.body == body)
        }
    }

    @Test func `answers a hundred at once over few connections`() async throws {
        let peer = try ScriptedPeer { connection in
            while let request = connection.readRequest() {
                connection.write(answer("200 OK", [], request.lines.first ?? ""))
            }
        }
        defer { peer.stop() }
        try await Calls.run({ $0.connectionsPerHost = 8 }) { calls async throws in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let reply = try await calls.send(.post, peer.origin + "/\(number)", [:], "\(number)")
                        return reply.text == "POST /\(number) HTTP/1.1"
                    }
                }
                for try await matches in group { #expect(matches) }
            }
        }
        #expect(peer.requests.count == 100)
        #expect((1...8).contains(peer.connectionCount))
    }

    @Test func `refuses what waits beyond the bound and answers the others`() async throws {
        let latch = Latch()
        let peer = try ScriptedPeer.answering(after: latch)
        defer { peer.stop() }
        try await Calls.run({
            $0.connections = 1
            $0.waitingRequests = 1
        }) { calls async throws in
            async let first = calls.send(.get, peer.origin + "/1")
            await peer.waitForRequests(1)
            // Of these two one waits, the other finds the queue full and is the first to end.
            await withTaskGroup(of: TransportError?.self) { group in
                for number in 2...3 {
                    group.addTask {
                        do { _ = try await calls.send(.get, peer.origin + "/\(number)") } catch {
                            return error as? TransportError
                        }
                        return nil
                    }
                }
                #expect(await group.next() == .notReached(.refusedLocally))
                latch.open()
                #expect(await group.next() == .some(nil))
            }
            let reply = try await first
            #expect(reply.status == 200)
        }
        #expect(peer.requests.count == 2)
    }
}
