import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The address of a problem's type")
struct ProblemPageTests {
    private func get(
        _ path: String, _ accept: String?, method: HTTPMethod = .get, host: String = "app.example.com"
    ) async throws -> ServerResponse {
        var fields = [(name: "Host", value: host)]
        if let accept { fields.append((name: "Accept", value: accept)) }
        return try await APIFixture().api.handle(
            ServerRequest(method: method, target: path, headers: RequestHeaders(fields), body: .empty))
    }

    private func type(_ response: ServerResponse) -> String? {
        response.headers.first { $0.name.lowercased() == "content-type" }?.value
    }

    private func body(_ response: ServerResponse) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    @Test("shows what it means, as a page and as JSON", arguments: ProblemType.allCases)
    func each(_ problem: ProblemType) async throws {
        let path = "/problems/\(problem.rawValue)"
        for accept in [nil, "*/*", "text/html,application/xhtml+xml,application/json;q=0.1"] {
            let page = try await get(path, accept)
            #expect(page.status == 200 && type(page) == "text/html; charset=utf-8")
            #expect(String(decoding: body(page), as: UTF8.self).contains("<h1>\(problem.title)</h1>"))
        }
        for accept in ["application/json", "application/problem+json, */*;q=0.1"] {
            let answer = try await get(path, accept)
            let json = try JSONValue(parsing: body(answer))
            #expect(type(answer) == "application/json" && json["type"]?.string == path)
            #expect(json["title"]?.string == "\(problem.title)" && json["status"]?.int == Int64(problem.status))
            #expect(json["detail"]?.string == "\(problem.detail)")
        }
    }

    @Test("is there for types alone, to be read, under our name")
    func others() async throws {
        for path in ["/problems/", "/problems/nothing", "/problems/malformed/x", "/problems"] {
            #expect(try await get(path, nil).status == 404, "\(path)")
        }
        #expect(try await get("/problems/malformed", nil, method: .post).status == 405)
        #expect(try await get("/problems/malformed", nil, host: "evil.example.net").status == 421)
    }
}
