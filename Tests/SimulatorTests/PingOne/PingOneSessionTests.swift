import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A session of the simulated PingOne environment")
struct PingOneSessionTests {
    private static let environment = PingOneCaller.environment

    @Test func `makes the start itself a success, with a code of its own`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let first = try await caller.claims(caller.exchange(caller.signIn()).json["id_token"])
            #expect(Set(caller.jar.keys).isSuperset(of: ["ST", "ST-NO-SS"]))
            caller.leaveFlow()
            for changes in [[:], ["prompt": "none"], ["max_age": "60"], ["acr_values": "SignOnForms"]] {
                let reply = try await caller.start("workforce", changes)
                #expect(reply.json["status"] == "COMPLETED" && reply.json["interactionId"] == nil)
                #expect(reply.json["_links"] == nil && reply.json["authorizeResponse"]?["state"] == "st")
                let code = try #require(reply.json["authorizeResponse"]?["code"]?.string)
                let claims = try await caller.claims(caller.exchange(code).json["id_token"])
                #expect(claims["sid"] == first["sid"] && claims["auth_time"] == first["auth_time"])
                #expect(reply.json["session"]?["id"] == claims["sid"])
                #expect(reply.headers("set-cookie").count { $0.hasPrefix("ST") } == 2)
                // The policy that the user completed: the one asked for, or else the last one.
                #expect(claims["acr"] == "SignOn")
            }
            // The second cookie is for browsers that lose the first.
            caller.jar["ST"] = nil
            #expect(try await caller.start().json["status"] == "COMPLETED")
            realm.expectRefusals()
        }
    }

    /// Ping's OIDC client authorizes so in the background: by POST with everything in the query, without x-requested-with.
    @Test func `makes a background authorization a success without the header of the SDKs`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.signIn()
            caller.leaveFlow()
            func authorize() async throws -> JSONValue {
                let query = Realm.query(PingOneCaller.request("workforce", ["prompt": "none"]))
                return try await realm.send(.post, "\(PingOneCaller.authorize)?\(query)", headers: caller.cookies).json
            }
            #expect(try await authorize()["authorizeResponse"]?["code"]?.string?.isEmpty == false)
            caller.jar = [:]
            #expect(try await authorize()["error"]?["code"] == "login_required")
            realm.expectRefusals()
        }
    }

    @Test func `is asked about by other response types, with the answer at the redirect URI`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let hint = try await caller.exchange(caller.signIn()).json["id_token"]?.string ?? ""
            caller.leaveFlow()
            func ask(_ type: String, _ more: [(String, String)] = []) async throws -> String? {
                let query = Realm.query(
                    [
                        ("client_id", "workforce"), ("redirect_uri", "https://app.example.com/callback"),
                        ("response_type", type), ("prompt", "none"), ("scope", "openid"),
                    ] + more)
                let reply = try await realm.send(.get, "\(PingOneCaller.authorize)?\(query)", headers: caller.cookies)
                #expect(reply.status == 302)
                return reply.header("location")
            }
            let callback = "https://app.example.com/callback"
            #expect(try await ask("none", [("id_token_hint", hint)]) == callback)
            #expect(try await ask("none", [("id_token_hint", "x.y.z")]) == callback + "?error=login_required")
            #expect(try await ask("id_token", [("state", "s")]) == callback + "#error=invalid_request&state=s")
            let answer = try #require(try await ask("id_token", [("nonce", "n"), ("state", "s")]))
            #expect(answer.hasPrefix(callback + "#id_token=") && answer.hasSuffix("&state=s"))
            let token = answer.dropFirst((callback + "#id_token=").count).dropLast("&state=s".count)
            let claims = try await caller.claims(.string(String(token)))
            #expect(claims["nonce"] == "n" && claims["aud"] == "workforce" && claims["at_hash"] == nil)
            caller.jar = [:]
            #expect(try await ask("none") == callback + "?error=login_required")
            #expect(try await ask("id_token", [("nonce", "n")]) == callback + "#error=login_required")
        }
    }

    @Test func `does not suffice where another sign-in is asked for`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.signIn()
            caller.leaveFlow()
            realm.time.advance(by: .seconds(10))
            for changes in [["prompt": "login"], ["max_age": "5"], ["max_age": "0"], ["acr_values": "StepUp"]] {
                #expect(try await caller.start("workforce", changes).json["form"] != nil)
                caller.leaveFlow()
            }
            let silent = try await caller.start("workforce", ["prompt": "none", "max_age": "5"])
            #expect(silent.json["status"] == "FAILED" && silent.json["error"]?["code"] == "login_required")
            caller.jar = [:]
            let nobody = try await caller.start("workforce", ["prompt": "none"])
            #expect(nobody.json["error"]?["code"] == "login_required")
        }
    }

    @Test func `goes on through another sign-in of its user, and refuses another user's`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let first = try await caller.claims(caller.exchange(caller.signIn()).json["id_token"])
            let old = try #require(caller.jar["ST"])
            realm.time.advance(by: .seconds(10))
            let second = try await caller.claims(
                caller.exchange(caller.signIn("demo", ["prompt": "login"])).json["id_token"])
            #expect(second["sid"] == first["sid"] && second["auth_time"] != first["auth_time"])
            #expect(caller.jar["ST"] != old && realm.simulator.sessionCount == 1)
            caller.leaveFlow()
            try await caller.start("workforce", ["prompt": "login"])
            let other = try await caller.next(["username": "alice", "password": .string(Realm.password)])
            #expect(other.status == 400 && other.json["code"] == "userSessionMismatch")
            #expect(other.json["connectorId"] == "pingOneAuthenticationConnector")
        }
    }

    @Test func `is raised by a step-up, which the transaction's client runs alone`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.signIn()
            caller.leaveFlow()
            #expect(try await caller.start("workforce-tx", ["acr_values": "SignOn"]).status == 400)
            try await caller.start("workforce-tx", ["prompt": "login"])
            #expect(caller.page["eventName"] == nil && caller.types == ["TEXT", "SUBMIT_BUTTON"])
            #expect(try await caller.next(["otp": "000000"], "submit").status == 400)
            let reply = try await caller.next(["otp": "424242"], "submit")
            let code = try #require(reply.json["authorizeResponse"]?["code"]?.string)
            let claims = try await caller.claims(caller.exchange(code, "workforce-tx").json["id_token"])
            #expect(claims["acr"] == "StepUp" && claims["amr"] == ["pwd", "otp", "mfa"])
            #expect(claims["aud"] == "workforce-tx")
            caller.leaveFlow()
            #expect(try await caller.start("workforce-tx").json["status"] == "COMPLETED")
            // Without a session a name and a password come first.
            caller.jar = [:]
            try await caller.start("workforce-tx")
            try await caller.next(["user.username": "demo", "user.password": .string(Realm.password)], "submit")
            #expect(try await caller.next(["otp": "424242"], "submit").json["status"] == "COMPLETED")
            realm.expectRefusals()
        }
    }

    @Test func `goes along with each step of a flow that began with it, or that is counted`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.signIn()
            caller.leaveFlow()
            try await caller.start("workforce-tx", ["prompt": "login"])
            #expect(try await caller.next(["otp": "000000"], "submit").status == 400)
            realm.expectWarnings()
            caller.jar = caller.jar.filter { !$0.key.hasPrefix("ST") }
            #expect(try await caller.next(["otp": "000000"], "submit").status == 400)
            realm.expectWarnings(["session-missing": 1])
            realm.expectRefusals()
        }
    }

    @Test func `ends by its cookies, by a hint, and at the latest by itself`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            func signOff(_ query: [(String, String)], _ path: String = "signoff") async throws -> Realm.Reply {
                try await realm.send(
                    .get, "\(Self.environment)/as/\(path)?\(Realm.query(query))", headers: caller.cookies)
            }
            func isSignedIn() async throws -> Bool { try await caller.start().json["status"] == "COMPLETED" }

            var code = try await caller.signIn()
            var hint = try await caller.exchange(code).json["id_token"]?.string ?? ""
            caller.leaveFlow()
            let kept = caller.jar
            // Neither a hint of another client nor nothing at all ends anything.
            #expect(
                try await signOff([("id_token_hint", hint), ("client_id", "workforce-tx")]).location?.single("error")
                    != nil)
            #expect(try await signOff([("id_token_hint", "x")]).location?.single("error") != nil)
            #expect(try await isSignedIn())
            #expect(caller.take(try await signOff([("client_id", "workforce")])).status == 204)
            #expect(caller.jar.isEmpty)
            caller.jar = kept
            #expect(try await !isSignedIn())
            // Cookies of a session that is over, or of none, end nothing; with a hint they do not stand in its way.
            for jar in [kept, ["ST": "made-up"]] {
                caller.jar = jar
                #expect(try await signOff([("client_id", "workforce")]).location?.single("error") != nil)
            }
            caller.jar = [:]
            hint = try await caller.exchange(caller.signIn()).json["id_token"]?.string ?? ""
            caller.leaveFlow()
            let living = caller.jar
            caller.jar = kept
            #expect(try await signOff([("id_token_hint", hint), ("client_id", "workforce")]).status == 204)
            caller.jar = living
            #expect(try await !isSignedIn())

            caller.jar = [:]
            code = try await caller.signIn()
            hint = try await caller.exchange(code).json["id_token"]?.string ?? ""
            caller.leaveFlow()
            let session = caller.jar
            caller.jar = [:]
            #expect(try await signOff([]).location?.single("error") != nil)
            // Off, as applications have it.
            #expect(
                try await signOff([("id_token_hint", hint), ("client_id", "workforce")], "idpSignoff").status == 403)
            #expect(try await signOff([("id_token_hint", hint), ("client_id", "workforce")]).status == 204)
            caller.jar = session
            #expect(try await !isSignedIn())

            caller.jar = [:]
            try await caller.signIn()
            caller.leaveFlow()
            realm.time.advance(by: .seconds(3600))
            #expect(try await !isSignedIn())
        }
    }

    @Test func `ends at PingOne's own address where the application allows it`() async throws {
        try await withRealm {
            $0.pingOne.allowsPingSignOff = true
        } _: { realm in
            let caller = PingOneCaller(realm)
            let hint = try await caller.exchange(caller.signIn()).json["id_token"]?.string ?? ""
            func signOff(_ client: String?) async throws -> Int {
                let query = [("id_token_hint", hint)] + (client.map { [("client_id", $0)] } ?? [])
                return try await realm.send(.get, "\(Self.environment)/as/idpSignoff?\(Realm.query(query))").status
            }
            #expect(try await signOff(nil) == 403)
            #expect(try await signOff("workforce-tx") == 403)
            #expect(realm.simulator.sessionCount == 1)
            #expect(try await signOff("workforce") == 204)
            #expect(realm.simulator.sessionCount == 0)
        }
    }
}
