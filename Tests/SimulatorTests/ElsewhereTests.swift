import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The journeys that go on elsewhere")
struct ElsewhereTests {
    private func redirect(_ page: JSONValue) throws -> String {
        let outputs = try #require(page["callbacks"]?[0]?["output"]?.array)
        return try #require(outputs.first { $0["name"] == "redirectUrl" }?["value"]?.string)
    }

    /// The way back that the other provider gives, for what the button says.
    private func decided(_ realm: Realm, _ page: JSONValue, _ decision: String) async throws -> [(String, String)] {
        let query = try redirect(page).split(separator: "?")[1]
        var form = try #require(QueryParameters(parsing: query)).pairs.map { ($0.name, $0.value) }
        form += [("user", "alice"), ("decision", decision)]
        let answer = try await realm.post("/social/decision", form: form)
        return try #require(answer.location).pairs.filter { $0.name != "session_state" }.map { ($0.name, $0.value) }
    }

    private func next(
        _ realm: Realm, _ page: JSONValue, _ query: [(String, String)], cookie: String?
    ) async throws -> Realm.Reply {
        try await realm.post(
            "\(Realm.json)/authenticate?\(Realm.query(query))", json: page,
            headers: cookie.map { [("Cookie", $0)] } ?? [])
    }

    @Test("sign in whom the other provider names, with state and cookie, once")
    func social() async throws {
        try await withRealm { realm in
            for (decision, hasCookie, change, status) in [
                ("allow", true, false, 200), ("allow", false, false, 401), ("allow", true, true, 401),
                ("deny", true, false, 401),
            ] {
                let first = try await realm.start("Social")
                let cookie = try #require(first.headers("set-cookie").first { $0.hasPrefix("social-track=") })
                var query = try await decided(realm, first.json, decision)
                if change { query = query.map { ($0.0, $0.0 == "state" ? "x" : $0.1) } }
                let end = try await next(
                    realm, first.json, query, cookie: hasCookie ? String(cookie.prefix { $0 != ";" }) : nil)
                #expect(end.status == status && (end.json["tokenId"] != nil) == (status == 200))
            }
        }
    }

    @Test("suspend for a link that counts once and for a while")
    func mail() async throws {
        try await withRealm { realm in
            for wait in [0, 301] {
                let page = try await realm.start("EmailLink").json
                let waiting = try await realm.next(page, ["IDToken1": "demo"])
                #expect(waiting.json["callbacks"]?[0]?["type"] == "SuspendedTextOutputCallback")
                #expect(try await realm.next(waiting.json).status == 401)
                let outbox = try await realm.send(.get, "/simulator/outbox").json
                let id = try #require(outbox["messages"]?[0]?["suspendedId"]?.string)
                realm.time.advance(by: .seconds(wait))
                let path = "\(Realm.json)/authenticate?suspendedId=\(id)"
                #expect(try await realm.post(path, json: [:]).status == (wait == 0 ? 200 : 401))
                #expect(try await realm.post(path, json: [:]).status == 401)
            }
        }
    }
}
