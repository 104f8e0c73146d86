import Basics
import HTTPCore
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("The admin listener, of the sessions of a user,")
struct AdminSessionTests {
    private static let token = String(repeating: "operator", count: 4)
    private static let calls = AdminOperation.allCases.filter(\.isOfSessions)

    private func admin(_ fixture: APIFixture) -> AdminAPI {
        AdminAPI(backend: fixture.backend, token: Secret(Self.token), logger: fixture.log.logger())
    }

    private func call(
        _ admin: AdminAPI, _ operation: AdminOperation, _ body: JSONValue,
        changing changes: [String: String?] = [:]
    ) async throws -> Answered {
        var fields: [String: String?] = [
            "authorization": "Bearer " + Self.token, "content-type": "application/json",
        ]
        fields.merge(changes) { $1 }
        let headers = fields.compactMap { name, value in value.map { (name: name, value: $0) } }
        let answer = Answered(
            await admin.handle(
                ServerRequest(
                    method: .post, target: operation.path, headers: RequestHeaders(headers),
                    body: RequestBody(body.serialized()))))
        #expect(try ContractFile.admin.get().faults(answer, of: operation.rawValue) == [])
        return answer
    }

    private func subject(_ fixture: APIFixture, _ name: String = "demo") -> JSONValue {
        ["format": "iss_sub", "iss": .string(fixture.provider.issuer), "sub": .string(name)]
    }

    @Test("has no call on sessions without its token", arguments: calls)
    func token(_ operation: AdminOperation) async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let body: JSONValue = ["sub_id": subject(fixture)]
        let admin = admin(fixture)
        for (field, problem) in [
            (nil, "token-required"), ("Basic " + Self.token, "token-required"), ("Bearer ", "token-required"),
            ("Bearer x", "invalid-token"), ("Bearer " + Self.token + "x", "invalid-token"),
            ("Bearer " + Self.token.dropLast(), "invalid-token"),
        ] as [(String?, String)] {
            let answer = try await call(admin, operation, body, changing: ["authorization": field])
            #expect(answer.status == 401 && answer.problem == problem)
            #expect(answer.header("www-authenticate")?.hasPrefix("Bearer") == true)
        }
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
        let without = AdminAPI(backend: fixture.backend)
        #expect(try await call(without, operation, body).status == 404)
        // The public listener has none of them.
        #expect(await browser.call(.post, operation.path, body.text).status == 404)
    }

    @Test("lists them, and ends one, earlier ones or all")
    func ends() async throws {
        let fixture = try APIFixture()
        let admin = admin(fixture)
        let first = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(10))
        let instant = fixture.time.now().seconds
        fixture.time.advance(by: .seconds(10))
        let others = [try await fixture.signedIn(), try await fixture.signedIn()]
        let user = subject(fixture)
        let list = try await call(admin, .listUserSessions, ["sub_id": user])
        let sessions = try #require(list["sessions"]?.array)
        #expect(list.status == 200 && sessions.count == 3)
        #expect(sessions.allSatisfy { $0["current"] == nil && $0["signIns"]?[0]?["client"] == "standard" })
        let id = try #require(sessions[2]["id"]?.string)
        // Some clients send every member, with values that say nothing.
        let one = try await call(
            admin, .endUserSessions, ["sub_id": user, "session": .string(id), "before": 0, "everyone": false])
        #expect(one.status == 200 && one["ended"] == 1)
        #expect(await others[1].call(.get, "/bff/standard/user").status == 401)
        let again = try await call(admin, .endUserSessions, ["sub_id": user, "session": .string(id)])
        #expect(again.status == 404 && again.problem == "unknown-session")
        let before = try await call(admin, .endUserSessions, ["sub_id": user, "before": JSONValue(instant)])
        #expect(before["ended"] == 1)
        #expect(await first.call(.get, "/bff/standard/user").status == 401)
        #expect(await others[0].call(.get, "/bff/standard/user").status == 200)
        let revoked = try await call(admin, .revokeGlobally, ["sub_id": user, "more": true])
        #expect(revoked.status == 204)
        let ended = await others[0].call(.get, "/bff/standard/user")
        #expect(ended.status == 401 && ended["reason"] == "ended")
        #expect(try await call(admin, .endUserSessions, ["sub_id": user])["ended"] == 0)
    }

    @Test("refuses bodies that do not name a user", arguments: calls)
    func bodies(_ operation: AdminOperation) async throws {
        let fixture = try APIFixture()
        let admin = admin(fixture)
        let user = subject(fixture)
        var bodies: [JSONValue] = [
            [:], ["sub_id": "demo"], ["sub_id": ["format": "email", "email": "a@example.com"]],
            ["sub_id": ["format": "iss_sub", "iss": "https://id.example.com"]],
            ["sub_id": ["format": "iss_sub", "iss": "", "sub": "demo"]], [],
        ]
        if operation != .revokeGlobally { bodies.append(["sub_id": user, "all": true]) }
        if operation == .endUserSessions {
            bodies += [
                ["sub_id": user, "session": "x", "before": 1], ["everyone": true], ["everyone": false],
                ["everyone": true, "before": 1, "sub_id": user], ["everyone": true, "before": 1, "session": "x"],
            ]
        }
        for body in bodies {
            let answer = try await call(admin, operation, body)
            #expect(answer.status == 400 && answer.problem == "malformed", "\(body)")
        }
        let form = try await call(admin, operation, ["sub_id": user], changing: ["content-type": "text/plain"])
        #expect(form.status == 415)
    }

    @Test("says that nothing is ended while the store is away", arguments: calls)
    func outage(_ operation: AdminOperation) async throws {
        let store = MemoryStore(time: ManualTime())
        let fixture = try APIFixture(store: store)
        await store.close()
        let answer = try await call(admin(fixture), operation, ["sub_id": subject(fixture)])
        #expect(answer.status == 503 && answer.problem == "store-unavailable")
    }
}
