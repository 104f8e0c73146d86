import Basics
import HTTPCore
import JSON
import Testing

@Suite("When node oidc-provider", .enabled(if: Live.provider != nil), .serialized)
struct ProviderFaultTests {
    private func run(mode: String, _ body: (LiveServer, Provider) async throws -> Void) async throws {
        try await ProviderAuthzTests().run(mode: mode) { server, provider in
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(server, provider)) } catch { outcome = .failure(error) }
            try await provider.reset()
            try outcome.get()
        }
    }

    private func fail(_ provider: Provider, _ path: String, _ how: JSONValue, times: Int = 50) async throws {
        var body = how
        body = body.setting("path", .string(path)).setting("times", .init(Int64(times)))
        try await provider.admin("fail", body)
    }

    private func clearFaults(_ provider: Provider) async throws {
        _ = try await Wire.send(.delete, provider.settings.address + "/admin/fail")
    }

    /// How the provider can fail.
    private static let faults: [JSONValue] = [["status": 503], ["empty": true], ["status": 200, "body": "not JSON"]]

    @Test("fails at its document or keys, tokens cannot be judged, and can as soon as it is well", arguments: faults)
    func discovery(how: JSONValue) async throws {
        for path in ["/.well-known/openid-configuration", "/jwks"] {
            try await run(mode: "jwt") { server, provider in
                let token = try await provider.token(provider.settings.resource)
                try await clearFaults(provider)
                try await fail(provider, path, how)
                for _ in 0..<5 {
                    let answer = try await server.authz("read", token)
                    #expect(answer.status == 503, "\(path): \(answer.status)")
                }
                let asked = try await requests(provider, path)
                #expect(asked <= 2, "\(path): one question for each token, \(asked)")
                try await clearFaults(provider)
                #expect(
                    try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                        try await server.authz("read", token).status == 204
                    }, "\(path)")
            }
        }
    }

    private func requests(_ provider: Provider, _ path: String) async throws -> Int {
        let answer = try await Wire.send(
            .get, provider.settings.address + "/admin/requests?path=" + PercentEncoding.encode(path))
        return try #require(answer.json.array).count
    }

    @Test("publishes no key that can be used, tokens cannot be judged", arguments: [#"{"keys":[]}"#])
    func emptyKeys(body: String) async throws {
        try await run(mode: "jwt") { server, provider in
            let token = try await provider.token(provider.settings.resource)
            try await fail(provider, "/jwks", ["status": 200, "body": .string(body)])
            #expect(try await server.authz("read", token).status == 503)
        }
    }

    @Test("fails when asked about a token, it cannot be judged, and can as soon as it is well", arguments: faults)
    func introspection(how: JSONValue) async throws {
        try await run(mode: "introspection") { server, provider in
            let token = try await provider.token(provider.settings.opaque)
            #expect(try await server.authz("read", token).status == 204)
            try await fail(provider, "/token/introspection", how)
            #expect(try await server.authz("read", token).status == 503)
            try await clearFaults(provider)
            #expect(
                try await eventually(within: .seconds(60), every: .milliseconds(500)) {
                    try await server.authz("read", token).status == 204
                })
        }
    }

    @Test func `hangs when asked about a token, the answer comes in time`() async throws {
        try await run(mode: "introspection") { server, provider in
            let token = try await provider.token(provider.settings.opaque)
            try await fail(provider, "/token/introspection", ["hang": 60_000], times: 1)
            let answer = try await server.authz("read", token)
            #expect(answer.status == 503)
        }
    }

    /// A token of a new key is taken at last; until its key is looked for it cannot be judged, which is no refusal.
    private func expectTaken(_ server: LiveServer, _ token: String) async throws {
        let isTaken = try await eventually(within: .seconds(90), every: .milliseconds(500)) {
            let status = try await server.authz("read", token).status
            #expect(status == 204 || status == 503, "\(status)")
            return status == 204
        }
        #expect(isTaken)
    }

    @Test func `changes its keys, tokens of both are taken, and no request is refused meanwhile`() async throws {
        try await run(mode: "jwt") { server, provider in
            let resource = provider.settings.resource
            let old = try await provider.token(resource)
            #expect(try await server.authz("read", old).status == 204)
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var statuses: [Int] = []
                        for _ in 0..<50 { statuses.append(try await server.authz("read", old).status) }
                        return statuses
                    }
                }
                try await provider.admin("rotate", [:])
                let new = try await provider.token(resource)
                try await expectTaken(server, new)
                for try await statuses in group { #expect(statuses.allSatisfy { $0 == 204 }) }
            }
        }
    }

    @Test func `drops its old keys, tokens of new ones are taken and unknown ones are not`() async throws {
        try await run(mode: "jwt") { server, provider in
            let resource = provider.settings.resource
            let old = try await provider.token(resource)
            #expect(try await server.authz("read", old).status == 204)
            try await provider.admin("rotate", ["drop": true])
            let new = try await provider.token(resource)
            try await expectTaken(server, new)
            // An unknown token of the old key: its key is not there any more.
            let now = SystemTime().now().seconds
            let forged = try await provider.sign(
                "RS256", header: ["typ": "at+jwt", "kid": "a-key-that-is-gone"],
                payload: [
                    "iss": .string(provider.settings.address), "sub": "x", "aud": .string(resource), "jti": "x",
                    "client_id": "bff", "iat": .init(now), "exp": .init(now + 60), "scope": "read",
                ])
            let status = try await server.authz("read", forged).status
            #expect(status == 401 || status == 503, "\(status)")
        }
    }
}
