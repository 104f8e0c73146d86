import BFF
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import JourneyProduct
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

@Suite("A user of DaVinci flows, over real HTTP,")
struct DaVinciTests {
    @Test("signs in, reads user, has the token renewed and signs out")
    func wholePath() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let page = try await browser.begin()
            #expect(page.status == 200 && page["kind"] == "davinci" && page["collectors.0.id"] == "username")
            let wrong = try await browser.fill(page, ["username": "demo", "password": "x"], action: "SIGNON")
            #expect(wrong["type"] == "error" && wrong["message"] == "Invalid username and/or password")
            #expect(wrong["collectors.0.value"] == "demo" && wrong["step"] == 2)
            let body: JSONObject = ["username": "demo", "password": "Ch4ng3it!"]
            let done = try await browser.fill(wrong, body, action: "SIGNON")
            #expect(done["signedIn"] == true && done["user.session"] == [:], "\(done.json.text)")
            let user = try await browser.user("workforce")
            #expect(user["token.acr"] == "SignOn" && user["token.amr"] == ["pwd"])
            #expect(user["claims.preferred_username"] == "demo" || user["claims.sub"] != nil)
            #expect(try await browser.call(.post, "/bff/workforce/token/refresh").status == 200)
            // The session of PingOne signs in again at once.
            #expect(try await browser.begin()["signedIn"] == true)
            #expect(try await browser.signOut("workforce").status == 204)
            #expect(try await browser.user("workforce").status == 401)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
            let calls = bench.simulator.requests.filter {
                $0.target.contains("/as/") || $0.target.contains("/davinci/")
            }
            let named = calls.filter { $0.headers.single("x-requested-with") == "ping-sdk" }
            #expect(named.count == calls.count && calls.contains { $0.target.hasSuffix("/jwks") })
        }
    }

    @Test("takes only what its client allows of a start")
    func allowed() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let refused: [(String, JSONValue)] = [
                ("journey", "Login"), ("forceAuth", true), ("noSession", true), ("acrValues", ["x"]),
                ("acrValues", ["SignOn", "Mfa"]), ("prompt", "consent"), ("parameters", ["x": "y"]),
            ]
            for (member, value) in refused {
                let answer = try await browser.start("workforce", [member: value])
                #expect(answer.status == 422 && answer["fields.0.id"]?.string == member, "\(answer.json.text)")
            }
            let link = "https://app.example.com/mail?suspendedId=x"
            for (member, value) in [("suspendedId", "x"), ("uri", .string(link))] as [(String, JSONValue)] {
                let answer = try await browser.call(.post, "/bff/workforce/resume", [member: value])
                #expect(answer.status == 422 && answer["type"] == "/problems/not-allowed", "\(answer.json.text)")
                #expect(answer["fields.0.id"]?.string == member)
                #expect(answer["fields.0.message"]?.string?.contains("handle") == true)
            }
            #expect(try await browser.start("workforce", ["prompt": "none"])["reason"] == "login-required")
            let page = try await browser.start("workforce", ["loginHint": "alice", "parameters": ["customKey": "v"]])
            #expect(page["collectors.0.value"] == "alice")
        }
    }

    @Test("is signed in by another provider, which may refuse first")
    func social() async throws {
        try await withBench(.pingOne()) { bench in
            bench.simulator.applicationURL = bench.base.origin
            let browser = bench.browser()
            var page = try await browser.begin("Social")
            for decision in ["deny", "allow"] {
                let button = try #require(page["collectors"]?.array?.first { $0["type"] == "IdpCollector" })
                #expect(button["enabled"] == true && !page.json.text.contains("loginFirstFactor"))
                let address = try await browser.depart(page, decision, bench)
                #expect(address.hasPrefix(bench.base.origin + "/bff/workforce/return?"))
                let handle = try await browser.comeBack(address).news("resume")
                page = try await browser.resume(handle, of: page)
                #expect(page["type"]?.string == (decision == "deny" ? "error" : "continue"), "\(page.json.text)")
                #expect(!page.json.text.contains("continueToken"))
                #expect(try await browser.resume(handle, of: page).body == page.body)
            }
            #expect(bench.simulator.received("/continue") == 1)
            #expect(try await browser.fill(page)["signedIn"] == true)
        }
    }

    @Test("waits for an approval, polled as often as PingOne wants it and no more")
    func approval() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            let page = try await browser.begin("Approval")
            let wait = try await browser.fill(page, Browser.forms, action: "submit")
            let poll = try #require(wait["collectors"]?.array?.first { $0["type"] == "PollingCollector" })
            #expect(poll["nextPollIn"] == 1000 && poll["mode"] == "continue", "\(wait.json.text)")
            let sent = bench.simulator.received("/customHTMLTemplate")
            #expect(try await browser.fill(wait, action: "polling")["step"] == wait["step"])
            #expect(bench.simulator.received("/customHTMLTemplate") == sent)
            var node = wait
            for due in 1...3 {
                bench.time.advance(by: .seconds(1))
                node = try await browser.fill(wait, action: "polling")
                #expect(bench.simulator.received("/customHTMLTemplate") == sent + due)
            }
            #expect(node["signedIn"] == true, "\(node.json.text)")
        }
    }

    @Test("steps up by a policy of another client, and stays who they are")
    func stepUp() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            try await browser.signOn()
            bench.time.advance(by: .seconds(5))
            let page = try await browser.start("workforce-tx", ["for": "workforce-high"])
            #expect(page["for"] == "workforce-high" && page["collectors.0.id"] == "otp", "\(page.json.text)")
            let done = try await browser.fill(page, ["otp": "424242"], "workforce-tx")
            #expect(done["signedIn"] == true, "\(done.json.text)")
            #expect(try await browser.user("workforce-tx")["token.acr"] == "StepUp")
            #expect(try await browser.user("workforce")["token.acr"] == "SignOn")
            bench.time.advance(by: .seconds(5))
            // Its tokens end by themselves; the session is the other client's too.
            #expect(try await browser.signOut("workforce-tx").status == 204)
            #expect(try await browser.user("workforce").status == 200)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 1)
        }
    }

    @Test("is signed in by a journey too, and out of one alone")
    func both() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            try await browser.signIn()
            try await browser.signOn("alice")
            let journey = try await browser.user()["subject"]
            #expect(try await browser.user("workforce")["subject"] != journey)
            #expect(try await browser.signOut("workforce").status == 204)
            #expect(try await browser.user().status == 200)
            #expect(try await browser.user("workforce").status == 401)
            try await browser.signOn("alice")
            #expect(try await browser.signOut().status == 204)
            #expect(try await browser.user().status == 401)
            #expect(try await browser.user("workforce").status == 200)
        }
    }

    @Test("takes the place of another one where that is said")
    func replaced() async throws {
        try await withBench(.pingOne()) { bench in
            let browser = bench.browser()
            try await browser.signOn()
            let page = try await browser.start("workforce", ["replace": true])
            let alice: JSONObject = ["username": "alice", "password": "Ch4ng3it!"]
            #expect(try await browser.fill(page, alice, action: "SIGNON")["signedIn"] == true)
            // What a change of cookie has replaced is ended when the browser comes with the new one.
            #expect(try await browser.user("workforce").status == 200)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 1)
        }
    }

    @Test("waits while PingOne is asked too often, as everybody does, and loses nothing")
    func tooMany() async throws {
        try await withBench(.pingOne()) { bench in
            let (one, other) = (bench.browser(), bench.browser())
            let page = try await one.begin()
            bench.simulator.faults.add(.tooManyRequests(retryAfter: 7), path: "customHTMLTemplate", count: 1)
            let body: JSONObject = ["username": "demo", "password": "Ch4ng3it!"]
            let busy = try await one.fill(page, body, action: "SIGNON")
            #expect(busy.status == 503 && busy["retryAfter"] == 7, "\(busy.json.text)")
            let asked = bench.simulator.receivedInAll
            #expect(try await one.fill(page, body, action: "SIGNON").status == 503)
            #expect(try await other.begin().status == 503)
            #expect(bench.simulator.receivedInAll == asked)
            bench.time.advance(by: .seconds(8))
            #expect(try await one.fill(page, body, action: "SIGNON")["signedIn"] == true)
        }
    }

    @Test(
        "is told that an operator has to act, where the application is set up wrongly",
        arguments: ["workforce-native", "workforce-page", "workforce-broken"])
    func configuration(_ id: String) async throws {
        let options = Bench.Options.pingOne { settings, simulator in
            settings.clients.append(try .workforce(id, nil, simulator))
        }
        try await withBench(options) { bench in
            #expect(try await bench.browser().begin(nil, id)["reason"] == "configuration-error")
            let findings = try await checkLive(bench.settings)
            let flows = findings.filter { $0.subject.hasSuffix(": flow") }
            #expect(flows.map { $0.failure == nil } == [true, true, false], "\(flows)")
            #expect(flows.last?.failure?.contains("assign a DaVinci flow policy") == true)
        }
    }

    @Test func `is checked by calls with the words of the SDK, and told of settings that such a client has`()
        async throws
    {
        try await withBench(.pingOne()) { bench in
            var settings = bench.settings
            settings.clients.removeAll { $0.product is JourneySettings }
            settings.issuers = []
            let before = bench.simulator.requests.count
            let findings = try await checkLive(settings)
            #expect(findings.allSatisfy { $0.failure == nil }, "\(findings)")
            let calls = bench.simulator.requests.dropFirst(before).filter { $0.target.contains("/as/") }
            #expect(calls.contains { $0.target.hasSuffix("/jwks") } && calls.contains { $0.target.hasSuffix("/token") })
            #expect(calls.allSatisfy { $0.headers.single("x-requested-with") == "ping-sdk" })
            settings.clients[0].openID.discovery.path = "/nowhere/.well-known/openid-configuration"
            let wrong = try await checkLive(settings).filter { $0.subject.hasPrefix("clients.workforce:") }
            #expect(wrong.first?.failure?.hasSuffix("correct oidc.discovery") == true, "\(wrong)")
            let untried = wrong.dropFirst().map(\.subject)
            #expect(untried == ["clients.workforce: flow", "clients.workforce: keys, client, revocation"])
        }
    }
}
