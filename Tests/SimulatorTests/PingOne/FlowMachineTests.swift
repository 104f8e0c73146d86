import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A flow of the simulated PingOne environment")
struct FlowMachineTests {
    @Test func `asks by custom HTML, with two submit buttons and ways out`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let reply = try await caller.start()
            #expect(caller.types == ["TEXT", "PASSWORD", "SUBMIT_BUTTON", "SUBMIT_BUTTON", "FLOW_BUTTON", "FLOW_LINK"])
            #expect(reply.json["eventName"] == "continue" && reply.json["form"]?["category"] == "CUSTOM_HTML")
            let link = realm.simulator.baseURL + PingOneCaller.environment + "/davinci/connections/"
            #expect(reply.json["_links"]?["next"]?["href"]?.string?.hasPrefix(link) == true)
            #expect(Set(caller.jar.keys) == ["interactionId", "interactionToken", "skProxyApiEnvironmentId"])
            // Cookies and members of one name have different values.
            for name in ["interactionId", "interactionToken"] { #expect(caller.jar[name] != reply.json[name]?.string) }
            let first = caller.page
            try await caller.next([:], "HELP", "action")
            #expect(caller.types == ["LABEL", "FLOW_BUTTON"])
            #expect(caller.page["interactionToken"] != first["interactionToken"] && caller.page["id"] != first["id"])
            try await caller.next([:], "BACK", "action")
            #expect(caller.page["id"] == first["id"])
            try await caller.next([:], "REGISTER")
            let taken = try await caller.next(PingOneCaller.demo, "CREATE")
            #expect(
                taken.json["details"]?[0]?["rawResponse"]?["details"]?[0]?["code"] == "UNIQUENESS_VIOLATION")
            let made = try await caller.next(["username": "nina", "password": "anything"], "CREATE")
            #expect(made.json["status"] == "COMPLETED")
            realm.expectRefusals()
        }
    }

    @Test func `asks by a form, with dotted keys and without event name`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start("workforce", ["acr_values": "SignOnForms"])
            #expect(caller.page["eventName"] == nil && caller.page["form"]?["category"] == "CUSTOM_FORM")
            let values: JSONObject = ["user.username": "demo", "user.password": .string(Realm.password)]
            #expect(try await caller.next(values, "submit").json["status"] == "COMPLETED")
            realm.expectRefusals()
        }
    }

    @Test func `keeps its page after an error, whose ids are another node's, and locks a user`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start()
            let wrong: JSONObject = ["username": "demo", "password": "wrong"]
            var replies: [Realm.Reply] = []
            for _ in 0..<5 { replies.append(try await caller.next(wrong)) }
            for reply in replies {
                #expect(reply.status == 400 && reply.json["id"] != caller.page["id"])
                #expect(reply.json["interactionId"] != caller.page["interactionId"])
                #expect(reply.json["interactionToken"] == nil && reply.json["_links"] == nil)
            }
            #expect(replies[0].json["message"] == " Invalid username and/or password")
            let left = replies[3].json["details"]?[0]?["rawResponse"]?["details"]?[0]?["innerError"]
            #expect(left?["failuresRemaining"] == 1)
            #expect(replies[4].json["code"] == "PASSWORD_LOCKED_OUT")
            realm.simulator.unlock("demo")
            #expect(try await caller.next(PingOneCaller.demo).json["status"] == "COMPLETED")
            realm.expectRefusals()
        }
    }

    @Test func `ends after five minutes, and when a node was answered twenty times`() async throws {
        try await withRealm {
            $0.lockoutThreshold = 100
        } _: { realm in
            let caller = PingOneCaller(realm)
            try await caller.start()
            realm.time.advance(by: .seconds(300))
            #expect(try await caller.next(PingOneCaller.demo).json["code"] == "requestTimedOut")
            caller.jar = [:]
            try await caller.start()
            for _ in 0..<20 {
                #expect(try await caller.next(["username": "demo", "password": "wrong"]).status == 400)
            }
            let last = try await caller.next(PingOneCaller.demo)
            #expect(last.status == 200 && last.json["error"]?["code"] == "server_error")
            realm.expectRefusals()
        }
    }

    @Test func `answers with HTML where no SDK is named, but not beside the flow`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let query = Realm.query(PingOneCaller.request())
            let start = try await realm.send(.get, "\(PingOneCaller.authorize)?\(query)")
            #expect(start.status == 200 && start.json["screen"] != nil && start.json["form"] == nil)
            try await caller.start()
            let verbose = try await caller.send(
                caller.body(PingOneCaller.demo), headers: caller.interaction + caller.cookies)
            #expect(verbose.json["screen"] != nil)
            realm.expectRefusals(["x-requested-with": 2])
            // The page stands where it stood.
            #expect(try await caller.next(PingOneCaller.demo).json["status"] == "COMPLETED")
        }
    }

    /// A change of a sound step, and the rule that it breaks.
    private static let changes:
        [(String, @Sendable (inout JSONObject, inout [(String, String)], PingOneCaller) -> Void)] = [
            ("node-id", { body, _, _ in body["id"] = "other" }),
            ("interaction-id", { body, _, _ in body["interactionId"] = "other" }),
            ("event-name", { body, _, _ in body["eventName"] = "" }),
            ("body", { body, _, _ in body["parameters"] = 1 }),
            ("event", { body, _, caller in body = caller.body([:], "SIGNON", "action") }),
            ("event", { body, _, caller in body = caller.body([:], "OTHER", "submit") }),
            ("event", { body, _, caller in body = caller.body([:], "", "polling") }),
            ("value", { body, _, caller in body = caller.body(["username": true]) }),
            ("cookies", { _, headers, _ in headers.removeAll { $0.0 == "Cookie" } }),
            (
                "cookies",
                { _, headers, caller in
                    caller.jar["interactionToken"] = "other"
                    headers = PingOneCaller.sdk + caller.interaction + caller.cookies
                }
            ),
            ("cookies", { _, headers, _ in headers = headers.map { $0.0 == "interactionId" ? ($0.0, "other") : $0 } }),
            (
                "interaction-token",
                { _, headers, _ in
                    headers = headers.map { $0.0 == "interactionToken" ? ($0.0, "other") : $0 }
                }
            ),
            ("authorization-with-interaction", { _, headers, _ in headers.append(("Authorization", "Bearer x")) }),
        ]

    @Test("refuses and counts what no client may send", arguments: changes.indices)
    func refusals(_ index: Int) async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start()
            var body = caller.body(PingOneCaller.demo)
            var headers = PingOneCaller.sdk + caller.interaction + caller.cookies
            Self.changes[index].1(&body, &headers, caller)
            let reply = try await caller.send(body, headers: headers)
            #expect(reply.status == 400)
            realm.expectRefusals([Self.changes[index].0: 1])
            #expect(try await realm.send(.get, "/simulator/requests").json["refusals"]?[Self.changes[index].0] == 1)
        }
    }

    @Test func `takes members and keys that it does not know, and a step by its cookies alone, as PingOne does`()
        async throws
    {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start()
            var values = PingOneCaller.demo
            values["other"] = "x"
            var body = caller.body(values)
            body["more"] = 1
            // Ping's mobile SDKs send no headers of the interaction.
            let reply = try await caller.send(body, headers: PingOneCaller.sdk + caller.cookies)
            #expect(reply.json["status"] == "COMPLETED")
            realm.expectWarnings(["unknown-member": 1, "unknown-key": 1])
            realm.expectRefusals()
            let counted = try await realm.send(.get, "/simulator/requests").json
            #expect(counted["warnings"] == ["unknown-key": 1, "unknown-member": 1] && counted["refusals"] == [:])
        }
    }

    @Test func `refuses keys that were nested, tokens of former pages, other links, and what comes after the end`()
        async throws
    {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            try await caller.start("workforce", ["acr_values": "SignOnForms"])
            try await caller.next(["user": ["username": "demo"]], "submit")
            realm.expectRefusals(["nested-key": 1])
            realm.simulator.forgetRequests()

            caller.jar = [:]
            try await caller.start()
            let (page, jar) = (caller.page, caller.jar)
            try await caller.next([:], "HELP", "action")
            let (newPage, newJar) = (caller.page, caller.jar)
            caller.page = page
            let mixed = PingOneCaller.sdk + caller.interaction + caller.cookies
            try await caller.send(caller.body(PingOneCaller.demo), headers: mixed)
            caller.jar = jar
            try await caller.send(caller.body(PingOneCaller.demo))
            realm.expectRefusals(["interaction-token": 1, "cookies": 1])
            realm.simulator.forgetRequests()

            (caller.page, caller.jar) = (newPage, newJar)
            let link = try caller.path("next").replacing("customHTMLTemplate", with: "customForm")
            let headers = PingOneCaller.sdk + caller.interaction + caller.cookies
            _ = try await realm.post(link, json: .object(caller.body([:], "BACK", "action")), headers: headers)
            realm.expectRefusals(["link": 1])
            realm.simulator.forgetRequests()

            try await caller.next([:], "BACK", "action")
            let last = caller.body(PingOneCaller.demo)
            let sent = PingOneCaller.sdk + caller.interaction + caller.cookies
            #expect(try await caller.send(last, headers: sent).json["status"] == "COMPLETED")
            #expect(try await caller.send(last, headers: sent).json["code"] == 1999)
            realm.expectRefusals(["ended-flow": 1])
        }
    }

    @Test func `does not take the cookies of another flow`() async throws {
        try await withRealm { realm in
            let (mine, other) = (PingOneCaller(realm), PingOneCaller(realm))
            try await mine.start()
            try await other.start()
            mine.jar = other.jar
            #expect(try await mine.next(PingOneCaller.demo).json["code"] == 1999)
            realm.expectRefusals(["cookies": 1])
            #expect(try await other.next(PingOneCaller.demo).json["status"] == "COMPLETED")
        }
    }
}
