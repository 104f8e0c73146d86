import BFFAPI
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// Over real HTTP, with journeys of the simulator, as journey-client and the former SDK for JavaScript call.
@Suite("A page on Ping's journey client", .timeLimit(.minutes(2)))
struct PingJourneyTests {
    static func options(_ journeys: String..., clients: [String] = ["standard"]) -> Bench.Options {
        Bench.Options(
            api: { $0.pingClients = clients },
            adjust: { settings, _ in
                settings.api.pingClients = clients
                if !journeys.isEmpty { settings.clients[0].journey.journeys = ["Login"] + journeys }
            })
    }

    @Test("signs in by AM's own pages, and gets neither step token nor session")
    func signIn() async throws {
        try await withBench(Self.options()) { bench in
            let browser = bench.browser()
            let page = try await browser.journey()
            #expect(page.status == 200 && page.types == ["NameCallback", "PasswordCallback"])
            #expect(page["authId"]?.string?.hasPrefix("f_") == true && page["authId"]?.string?.hasSuffix(".1") == true)
            #expect(page["callbacks"]?[0]?["input"]?[0]?["name"] == "IDToken1")
            #expect(page.output(0, "prompt") == "User Name")
            let done = try await browser.next(page, [0: "demo", 1: "Ch4ng3it!"])
            #expect(done.status == 200 && done["realm"] == "/alpha" && done["successUrl"]?.string?.isEmpty == false)
            #expect(done["tokenId"] == nil && done["authId"] == nil && done.setCookies.count == 2)
            #expect(try await browser.user()["claims.preferred_username"] == "demo")
            // A second start finds the provider session, as at AM.
            #expect(try await browser.journey()["successUrl"] != nil)
            #expect(try await browser.journey("Login", "&ForceAuth=true").types.count == 2)
        }
    }

    @Test("is told of a wrong password as AM tells it")
    func wrongPassword() async throws {
        try await withBench(Self.options()) { bench in
            let browser = bench.browser()
            let failed = try await browser.pingSignIn("demo", "wrong")
            #expect(failed.status == 401 && failed["code"] == 401 && failed["reason"] == "Unauthorized")
            #expect(failed["message"] == "Login failure" && failed["detail.reason"] == "authentication-failed")
            #expect(failed["type"] == nil && failed["detail.failureUrl"] == nil)
            #expect(try await browser.user().status == 401)
        }
    }

    @Test("ends its session as AM does, at each of its addresses")
    func signOut() async throws {
        try await withBench(Self.options()) { bench in
            for path in ["/json/alpha/sessions/", "/json/realms/root/realms/alpha/sessions"] {
                let browser = bench.browser()
                try await browser.pingSignIn()
                let out = try await browser.call(.post, Browser.am + path + "?_action=logout")
                #expect(out.status == 200 && out["result"] == "Successfully logged out")
                #expect(try await browser.user().status == 401)
                await bench.settled()
                #expect(try await browser.journey().types.count == 2)
                let not = try await browser.call(.post, Browser.am + path + "?_action=refresh")
                #expect(not.status == 400 && not["code"] == 400 && not["detail.fields.0.id"] == "_action")
            }
        }
    }

    @Test("names its realm in each way that Ping's clients have, and no other realm")
    func realms() async throws {
        try await withBench(Self.options()) { bench in
            let browser = bench.browser()
            for realm in ["alpha", "realms/alpha", "realms/root/realms/alpha"] {
                let page = try await browser.call(.post, "/bff/standard/am/json/\(realm)/authenticate")
                #expect(page.types.count == 2, "\(realm)")
            }
            for realm in ["bravo", "realms/root", "alpha/bravo", "realms/root/realms/bravo", "alpha/", "%2E%2E/alpha"] {
                let none = try await browser.call(.post, "/bff/standard/am/json/\(realm)/authenticate")
                #expect([404, 400].contains(none.status), "\(realm)")
            }
            #expect(try await browser.call(.post, "/bff/standard/am/json/authenticate").status == 404)
        }
    }

    @Test("sees failed policies at their callbacks, and those of a refusal in detail")
    func policies() async throws {
        try await withBench(Self.options("Registration", "PolicyRefusal")) { bench in
            let browser = bench.browser()
            let page = try await browser.journey("Registration")
            let again = try await browser.next(page, [0: "x", 1: "y"])
            #expect(again.status == 200 && again["authId"]?.string?.hasSuffix(".2") == true)
            #expect(again.output(0, "failedPolicies")?.array?.isEmpty == false)
            #expect(again["callbacks"]?[1]?["input"]?[0]?["value"]?.string != "y")
        }
    }

    @Test("chooses, confirms and fills hidden values by AM's inputs")
    func kitchen() async throws {
        try await withBench(Self.options("Kitchen")) { bench in
            let browser = bench.browser()
            let page = try await browser.journey("Kitchen")
            #expect(
                page.types == [
                    "TextOutputCallback", "TextOutputCallback", "ChoiceCallback", "TextInputCallback",
                    "HiddenValueCallback", "ConfirmationCallback",
                ])
            #expect(page["stage"] == "Kitchen" && page["header"] == "A bit of everything")
            let wrong = try await browser.next(page, [2: 7, 3: "Ann", 4: "c-1", 5: 0])
            #expect(wrong.status == 422 && wrong["code"] == 422 && wrong["detail.fields.0.code"] == "not-offered")
            let next = try await browser.next(page, [2: 2, 3: "Ann", 4: "c-1", 5: 0])
            #expect(next["header"] == "Hello Ann" && next["description"] == "Color 2, correlation c-1")
            #expect(try await browser.next(next, [0: "demo", 1: "Ch4ng3it!"])["successUrl"] != nil)
        }
    }

    @Test("polls as AM's page says, and never before its time at the provider")
    func polling() async throws {
        try await withBench(Self.options("Push")) { bench in
            let browser = bench.browser()
            let page = try await browser.next(try await browser.journey("Push"), [0: "demo", 1: "Ch4ng3it!"])
            let place = try #require(page.types.firstIndex(of: "PollingWaitCallback"))
            #expect(page.output(place, "waitTime") == "1000")
            let early = try await browser.next(page, [:])
            #expect(early["authId"] == page["authId"] && early.output(place, "waitTime") == "1000")
            var node = page
            for _ in 0..<2 {
                bench.time.advance(by: .seconds(1))
                node = try await browser.next(page, [:])
            }
            #expect(node["successUrl"] != nil, "\(node.json.text)")
        }
    }

    @Test("goes to another provider by an address of this server, and comes back with a handle as its code")
    func redirect() async throws {
        try await withBench(Self.options("Social")) { bench in
            let browser = bench.browser()
            let page = try await browser.journey("Social")
            let place = try #require(page.types.firstIndex(of: "RedirectCallback"))
            let address = try #require(page.output(place, "redirectUrl")?.string)
            let own = bench.base.origin + "/bff/standard/go/"
            #expect(address.hasPrefix(own) && page.output(place, "redirectMethod") == "GET")
            #expect(!page.json.text.contains("/social/"))
            // A page that the user has to leave takes no answers.
            #expect(try await browser.next(page, [:]).status == 422)
            let back = try await browser.leave(at: String(address.dropFirst(bench.base.origin.count)), "allow")
            let handle = try await browser.comeBack(back).news("resume")
            let forged = try await browser.next(page, [:], "?code=forged&state=x")
            #expect(forged.status == 401 && forged["code"] == 401)
            let done = try await browser.next(page, [:], "?code=\(handle)&state=x")
            #expect(done["successUrl"] != nil, "\(done.json.text)")
            #expect(try await browser.user()["claims.preferred_username"] == "alice")
        }
    }

    @Test("goes on by a link of this realm, once")
    func link() async throws {
        try await withBench(Self.options("EmailLink")) { bench in
            let browser = bench.browser()
            let page = try await browser.journey("EmailLink")
            let waiting = try await browser.next(page, [0: "demo"])
            #expect(waiting.types == ["SuspendedTextOutputCallback"])
            let outbox = try JSONValue(
                parsing: try await browser.open(bench.simulator.baseURL + "/simulator/outbox").body)
            let link = try #require(outbox["messages"]?[0]?["link"]?.string)
            let query = try #require(QueryParameters(parsing: link.split(separator: "?")[1]))
            let id = PercentEncoding.encode(try #require(query.single("suspendedId")))
            let start = Browser.am + "/json/alpha/authenticate?suspendedId=\(id)"
            #expect(try await browser.call(.post, start + "&realm=bravo").status == 400)
            #expect(try await browser.call(.post, start)["successUrl"] != nil)
            let again = try await browser.call(.post, start)
            #expect(again.status == 401 && again["detail.reason"] == "suspended-expired")
            #expect(again["message"]?.string?.contains("SuspendedAuthSessionException") == true)
        }
    }

    @Test("begins no journey that the settings do not list, no advice, and sends no parameter that they do not allow")
    func starts() async throws {
        try await withBench(Self.options()) { bench in
            let browser = bench.browser()
            for (query, status): (String, Int) in [
                ("authIndexType=service&authIndexValue=Other", 422),
                ("authIndexType=composite_advice&authIndexValue=Login", 422),
                ("ForceAuth=yes", 400), ("goto=https://evil.example", 422), ("ForceAuth=true&ForceAuth=false", 400),
                ("suspendedId=", 400), ("%FF=1", 400),
            ] {
                let refused = try await browser.call(.post, Browser.am + "/json/alpha/authenticate?" + query)
                #expect(refused.status == status && refused["code"] == JSONValue(Int64(status)), "\(query)")
            }
            #expect(bench.simulator.received("/authenticate") == 0)
            let more = "?authIndexType=service&authIndexValue=Login&locale=de&code=x&state=y"
            #expect(try await browser.call(.post, Browser.am + "/json/alpha/authenticate" + more).types.count == 2)
        }
    }

    @Test("is spoken for listed clients alone, by their own product")
    func listed() async throws {
        for options in [Self.options(clients: ["other"]), Bench.Options()] {
            try await withBench(options) { bench in
                let browser = bench.browser()
                let (page, found) = (
                    try await browser.journey(), try await browser.call(.get, Browser.am + Self.discovery)
                )
                #expect(page.status == 404 && found.status == 404)
            }
        }
        try await withBench(Self.options()) { bench in
            let path = "/bff/standard/davinci/env/as/.well-known/openid-configuration"
            let found = try await bench.browser().call(.get, path)
            #expect(found.status == 404)
        }
    }

    static let discovery = "/oauth2/alpha/.well-known/openid-configuration"

    @Test("finds all addresses at this server, without the header field of the application")
    func metadata() async throws {
        try await withBench(Self.options()) { bench in
            let browser = bench.browser()
            let found = try await browser.call(.get, Browser.am + Self.discovery, headers: ["x-csrf": nil])
            let issuer = bench.base.origin + Browser.am + "/oauth2/alpha"
            #expect(found.status == 200 && found["issuer"]?.string == issuer)
            for (name, value) in found.json.object ?? [:] where name.hasSuffix("_endpoint") {
                #expect(value.string?.hasPrefix(issuer + "/") == true, "\(name)")
            }
            #expect(found["response_modes_supported"]?.array?.contains("pi.flow") == true)
            #expect(!found.json.text.contains(bench.simulator.baseURL))
            let foreign = try await browser.call(
                .get, Browser.am + Self.discovery, headers: ["origin": "https://evil.example"])
            #expect(foreign.status == 403)
        }
    }
}
