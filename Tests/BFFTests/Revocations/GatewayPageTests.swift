import Basics
import Cryptography
import HTTPCore
import JourneyClient
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// Pages of a gateway where a 4xx would decide what becomes of tokens and sessions.
@Suite("A revocation that a page answers in place of the provider")
struct GatewayPageTests {
    static let statuses = [400, 401, 403, 404, 405, 408, 410, 413]

    /// Revokes tokens, or ends a session, while `address` answers so, and again when it is well.
    private func waits(_ answer: ClientResponse, at address: String, well: ClientResponse) async throws -> [Int] {
        let bench = try ScriptedSignIn()
        bench.network.on(.post, ScriptedSignIn.issuer + "/revoke", answering: ClientResponse(status: 200))
        let log = RecordedLog()
        let backend = try bench.backend(
            MemoryStore(time: bench.time), ServerKey(id: "k1", key: SecureRandom.bytes(32)), log)
        let revocations = backend.sessions.revocations
        let method: HTTPMethod = address == ScriptedSignIn.discovery ? .get : .post
        bench.network.on(method, address, answering: answer)
        let isSession = address == ScriptedSignIn.sessions
        try await revocations.queue.add([
            isSession ? .session(bench.stored("s1"), "standard") : .tokens(bench.tokenSet.encoded, "standard")
        ])
        await backend.retryRevocations(until: .now + .seconds(5))
        let first = try await revocations.queue.waiting().count
        #expect(log.lines.contains { $0.hasPrefix("warning") || $0.hasPrefix("error") }, "nothing is said")
        bench.network.on(method, address, answering: well)
        bench.time.advance(by: .seconds(60))
        await backend.retryRevocations(until: .now + .seconds(5))
        return [first, try await revocations.queue.waiting().count]
    }

    @Test("is tried again, until the provider takes it", arguments: statuses)
    func retried(status: Int) async throws {
        let page = ClientResponse.html("<html>Maintenance", status: status)
        let gateway = ClientResponse.json(#"{"message":"Forbidden"}"#, status: status)
        for answer in [page, gateway] {
            let revoke = ScriptedSignIn.issuer + "/revoke"
            #expect(try await waits(answer, at: revoke, well: ClientResponse(status: 200)) == [1, 0])
            #expect(try await waits(answer, at: ScriptedSignIn.sessions, well: .json("{}")) == [1, 0])
        }
    }

    @Test("where the provider's document should be is tried again too", arguments: [200] + statuses)
    func document(status: Int) async throws {
        let bench = try ScriptedSignIn()
        let well = try await bench.network.send(
            ClientRequest(.get, try #require(WebURL(ScriptedSignIn.discovery))), deadline: .now + .seconds(5))
        let page = ClientResponse.html("<html>Maintenance", status: status)
        #expect(try await waits(page, at: ScriptedSignIn.discovery, well: well) == [1, 0])
    }

    @Test("is not tried again when the provider itself refuses it, or says that the session is gone")
    func own() async throws {
        let refused = ClientResponse.json(#"{"error":"invalid_request"}"#, status: 400)
        let revoke = ScriptedSignIn.issuer + "/revoke"
        #expect(try await waits(refused, at: revoke, well: ClientResponse(status: 200)) == [0, 0])
    }
}
