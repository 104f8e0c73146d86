import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A policy of the simulated environment refuses")
struct PolicyRuleTests {
    private static func signedIn(_ realm: Realm, _ policy: String, _ user: String = "demo") async throws
        -> PingOneCaller
    {
        let caller = PingOneCaller(realm)
        try await caller.start("workforce", ["acr_values": policy])
        try await caller.next(
            ["user.username": .string(user), "user.password": .string(Realm.password)], "submit")
        return caller
    }

    private static func status(
        _ caller: PingOneCaller, _ challenge: String, headers: [(String, String)]? = nil
    ) async throws -> Realm.Reply {
        let id = [("interactionId", caller.page["interactionId"]?.string ?? "")]
        return try await caller.realm.post(
            "\(PingOneCaller.environment)/davinci/user/credentials/challenge/\(challenge)/status", json: [:],
            headers: headers ?? PingOneCaller.sdk + id + caller.cookies)
    }

    @Test func `a status that is asked too early, with a token or for another challenge`() async throws {
        try await withRealm { realm in
            let caller = try await Self.signedIn(realm, "Push")
            let device: JSONValue = ["type": "MOBILE", "id": "phone", "value": ""]
            try await caller.next(["device": device], "")
            let challenge = try #require(caller.page["form"]?["components"]?["fields"]?[1]?["challenge"]?.string)
            #expect(try await Self.status(caller, "other").json["code"] == 4019)
            let token = PingOneCaller.sdk + caller.interaction + caller.cookies
            #expect(try await Self.status(caller, challenge, headers: token).json["isChallengeComplete"] == false)
            realm.expectWarnings(["status": 1])
            let complete = try await Self.status(caller, challenge)
            #expect(complete.json["isChallengeComplete"] == true && complete.json["status"] == "approved")
            realm.expectWarnings(["status": 1, "early-poll": 1])
            realm.expectRefusals()
            #expect(try await caller.next(["polling": "approved"], "", "polling").json["status"] == "COMPLETED")
        }
    }

    @Test func `an approval that nobody gave`() async throws {
        try await withRealm { realm in
            let caller = try await Self.signedIn(realm, "Push")
            try await caller.next(["device": ["type": "MOBILE", "id": "tablet", "description": ""]], "")
            #expect(try await caller.next(["polling": ""], "", "polling").json["code"] == 1999)
            realm.expectRefusals(["value": 1])
            #expect(try await caller.next(["polling": "approved"], "", "polling").json["code"] == 1999)
            realm.expectRefusals(["value": 2])
        }
    }

    @Test func `a poll of the flow before its time`() async throws {
        try await withRealm { realm in
            let caller = try await Self.signedIn(realm, "Approval")
            let rewound = try await caller.next(["polling": "continue"], "", "polling")
            #expect(rewound.json["eventName"] == "rewindStateToLastRenderedUI" && rewound.json["form"] == nil)
            realm.expectWarnings(["early-poll": 1])
            realm.time.advance(by: .seconds(1))
            #expect(try await caller.next(["polling": "continue"], "", "polling").status == 200)
            realm.expectWarnings(["early-poll": 1])
            // That the time is over may follow the last poll at once, as Ping's SDKs have it.
            #expect(try await caller.next(["polling": "timedOut"], "", "polling").json["code"] == "timedOut")
            realm.expectWarnings(["early-poll": 1])
            realm.expectRefusals()
        }
    }

    @Test func `a token of a return that is none, comes twice or is another flow's`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start("workforce", ["acr_values": "Social"])
            func resume(_ token: String, _ caller: PingOneCaller) async throws -> Realm.Reply {
                try await realm.post(
                    try caller.path("continue"), json: [:],
                    headers: PingOneCaller.sdk + [("Authorization", "Bearer " + token)] + caller.cookies)
            }
            let fields = caller.page["form"]?["components"]?["fields"]?.array ?? []
            let button = try #require(fields.first { $0["key"] == "google-btn" })
            let link = try #require(button["links"]?["authenticate"]?["href"]?.string)
            let path = String(link.dropFirst(realm.simulator.baseURL.count))
            // The link is the browser's.
            #expect(try await realm.send(.get, path, headers: PingOneCaller.sdk).status == 400)
            realm.expectRefusals(["identity-provider-link": 1])
            let asked = try #require(try await realm.send(.get, path).location)
            let form = asked.pairs.map { ($0.name, $0.value) } + [("decision", "allow"), ("user", "demo")]
            let decided = try #require(try await realm.post("/social/decision", form: form).header("location"))
            let back = try await realm.send(.get, String(decided.dropFirst(realm.simulator.baseURL.count)))
            let token = try #require(back.location?.single("continueToken"))
            let other = PingOneCaller(realm)
            try await other.start("workforce", ["acr_values": "Social"])
            #expect(try await resume(token, other).status == 400)
            #expect(try await resume("x", caller).status == 400)
            realm.expectRefusals(["identity-provider-link": 1, "continue-token": 2])
            let end = try await resume(token, caller)
            #expect(end.json["status"] == "COMPLETED")
            #expect(try await resume(token, caller).status == 400)
            realm.expectRefusals(["identity-provider-link": 1, "continue-token": 2, "ended-flow": 1])
        }
    }

    @Test(
        "values of another type",
        arguments: [
            ["user.country": true], ["plan": ["free"]], ["topics": 7], ["topics": [1]], ["terms": "true"],
            ["user.phone": "123456"], ["user.phone": ["phoneNumber": "123456"]], ["user.password": ["value": "x"]],
        ] as [JSONObject])
    func values(_ values: JSONObject) async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start("workforce", ["acr_values": "Registration"])
            #expect(try await caller.next(values, "submit").json["code"] == 1999)
            realm.expectRefusals(["value": 1])
        }
    }

    @Test(
        "with a warning alone, values that were not offered, or under keys that the page does not ask for",
        arguments: [
            (["user.country": "FR"], "value-not-offered"), (["topics": ["else"]], "value-not-offered"),
            // Ping's SDK for JavaScript sends a default that is one text as it came.
            (["topics": "news"], "value-not-offered"), (["interests": "music"], "value-not-offered"),
            (["another": "x"], "unknown-key"),
        ] as [(JSONObject, String)])
    func warned(_ values: JSONObject, _ warning: String) async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start("workforce", ["acr_values": "Registration"])
            #expect(try await caller.next(values, "submit").json["code"] != 1999)
            realm.expectWarnings([warning: 1])
            realm.expectRefusals()
        }
    }
}

@Suite("What the simulated environment knows of its users")
struct PingOneOversightTests {
    @Test func `is ended with what the realm beside it knows`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let tokens = try await caller.exchange(caller.signIn("alice")).json
            _ = try await realm.signIn("demo")
            #expect(realm.simulator.sessionCount == 2)
            realm.simulator.endSessions(of: "alice")
            #expect(realm.simulator.sessionCount == 1)
            realm.simulator.endGrants(of: "alice")
            let refresh = tokens["refresh_token"]?.string ?? ""
            let refused = try await caller.token([("grant_type", "refresh_token"), ("refresh_token", refresh)])
            #expect(refused.json["error"] == "invalid_grant")
        }
    }

    @Test func `has a list of everything that no browser may see`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start()
            let shown = ["interactionId", "interactionToken"].flatMap { [caller.jar[$0], caller.page[$0]?.string] }
            let end = try await caller.next(PingOneCaller.demo)
            let code = try #require(end.json["authorizeResponse"]?["code"]?.string)
            let tokens = try await caller.exchange(code).json
            let given = ["access_token", "refresh_token", "id_token"].map { tokens[$0]?.string }
            let wanted = Set(
                (shown + given + [caller.jar["ST"], code, end.json["interactionToken"]?.string]).compactMap(\.self))
            #expect(wanted.count == 10 && wanted.isSubset(of: Set(realm.simulator.issuedSecrets)))
        }
    }

    @Test func `follows the switches of faults`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            realm.simulator.faults.add(.tooManyRequests(retryAfter: 3), path: "/as/authorize", count: 1)
            #expect(try await caller.start().header("retry-after") == "3")
            try await caller.start()
            realm.simulator.faults.add(.loseAnswer, path: "customHTMLTemplate", count: 1)
            await #expect(throws: TransportError.self) { try await caller.next(PingOneCaller.demo) }
            #expect(realm.simulator.sessionCount == 1)
            realm.simulator.faults.clockOffset = .seconds(7201)
            #expect(try await caller.start("workforce", ["prompt": "none"]).json["error"]?["code"] == "login_required")
        }
    }

    @Test func `leaves the application's address to the test`() async throws {
        try await withRealm { realm in
            realm.simulator.applicationURL = "http://localhost:8080"
            let caller = PingOneCaller(realm)
            let page = try await caller.start("workforce", ["acr_values": "Social"])
            #expect(page.text.contains("http%3A%2F%2Flocalhost%3A8080%2Fbff%2Fworkforce%2Freturn"))
        }
    }
}
