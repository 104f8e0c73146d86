import HTTPCore
import TestSupport
import Testing

@testable import BFFAPI

/// An API that does not read the body of a GET takes it for the next request on its connection.
@Suite("The body of a call to an API")
struct RouteBodyTests {
    private static let methods: [HTTPMethod] = [.get, .head, .delete]

    @Test("of a method that has none is refused before anything is sent", arguments: methods)
    func refused(_ method: HTTPMethod) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(method, "/v1/accounts", .json("{}"))
        let answer = await browser.call(method, "/api/accounts", "{}")
        #expect(answer.status == 400 && answer.problem == "malformed")
        #expect(fixture.network.requests.isEmpty)
        if method != .head { #expect(await browser.call(method, "/api/accounts").status == 200) }
    }

    @Test("in chunks is refused as well, whatever its length", arguments: ["2\r\n{}\r\n0\r\n\r\n", "0\r\n\r\n"])
    func chunked(_ body: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        try await fixture.serving { _, port in
            let client = try RawClient(port: port)
            var head = "GET /api/accounts HTTP/1.1\r\n"
            for (name, value) in browser.usual { head += "\(name): \(value)\r\n" }
            try await client.send(head + "Transfer-Encoding: chunked\r\n\r\n" + body)
            #expect(try await client.response().status == 400)
        }
        #expect(fixture.network.requests.isEmpty)
    }

    @Test("goes out where the route takes bodies, but for HEAD", arguments: methods)
    func allowed(_ method: HTTPMethod) async throws {
        var route = try Ledger.route("/api/search", "/search", [.get, .delete])
        route.bodies = true
        let (fixture, browser) = try await Ledger.fixture(route)
        fixture.answering(method, "/search", .json("{}"))
        let answer = await browser.call(method, "/api/search", "{}")
        #expect(answer.status == (method == .head ? 400 : 200))
        #expect(fixture.network.requests.map(\.body) == (method == .head ? [] : [Array("{}".utf8)]))
    }

    @Test("or anything else of a call without a token goes over no connection that tokens go over")
    func anonymous() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/terms", .json("{}"))
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        #expect(await browser.call(.get, "/api/public/terms").status == 200)
        #expect(try fixture.sent().isAnonymous)
        #expect(await browser.call(.get, "/api/accounts").status == 200)
        #expect(try !fixture.sent().isAnonymous)
    }
}
