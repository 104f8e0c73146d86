import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// Over real HTTP, with a log that keeps every level; what PingOne gave out is looked for when a bench ends too.
@Suite("What a server sends and gets for a DaVinci flow", .timeLimit(.minutes(2)))
struct DaVinciSecretTests {
    /// Words of PingOne's own answers, none of which is for a browser or a log.
    private static let raw = [
        "/capabilities/", "companyId", "connectorId", "connectionId", "pingOneSSOConnector", "userLookup",
        "rawResponse",
        "failuresRemaining", "correlationId", "challengeExpired", "serviceName", "authorizeResponse",
        "The user did not sign in at the other provider", "eu-west-1",
    ]

    /// Values of a call to PingOne, by the names of what carries them.
    private static let names: Set = [
        "state", "nonce", "code_challenge", "code_verifier", "code", "token", "refresh_token", "id_token_hint",
    ]

    /// All that was sent to PingOne and is nobody else's.
    private static func secrets(_ requests: [ReceivedRequest]) -> Set<String> {
        var found: Set<String> = []
        for request in requests where !request.target.contains("/social/") {
            for pair in request.headers.values("cookie").flatMap({ $0.split(separator: ";") }) {
                found.insert(String(pair.split(separator: "=", maxSplits: 1).last ?? ""))
            }
            for name in ["interactionid", "interactiontoken", "authorization"] {
                for value in request.headers.values(name) {
                    found.insert(String(value.split(separator: " ").last ?? ""))
                }
            }
            let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first.map { String($0) } ?? ""
            for text in [query, String(decoding: request.body, as: UTF8.self)] {
                for pair in QueryParameters(parsing: text)?.pairs ?? [] where names.contains(pair.name) {
                    found.insert(pair.value)
                }
            }
            let body = try? JSONValue(parsing: request.body)
            if let id = body?["id"]?.string { found.insert(id) }
        }
        return found.filter { $0.utf8.count >= 8 }
    }

    /// Goes through pages, refusals, devices, other providers and ends of every kind.
    private static func travel(_ bench: Bench) async throws -> [String] {
        bench.simulator.applicationURL = bench.base.origin
        let browser = bench.browser()
        var handles: [String] = []
        let page = try await browser.begin()
        let refused = try await browser.fill(
            page, ["username": "demo", "password": "a-guess-of-somebody"], action: "SIGNON")
        _ = try await browser.fill(refused, ["forged": "x"], action: "SIGNON")
        #expect(
            try await browser.fill(refused, ["username": "demo", "password": "Ch4ng3it!"], action: "SIGNON")["signedIn"]
                == true)
        _ = try await browser.user("workforce", query: "?refresh=true")
        _ = try await browser.call(.post, "/bff/workforce/token/refresh")
        #expect(try await browser.begin()["signedIn"] == true)
        let stepUp = try await browser.start("workforce-tx", ["for": "workforce-high"])
        let again = try await browser.fill(stepUp, ["otp": "000000"], "workforce-tx")
        #expect(try await browser.fill(again, ["otp": "424242"], "workforce-tx")["signedIn"] == true)
        _ = try await browser.signOut("workforce-tx")
        _ = try await browser.signOut("workforce")
        // A policy that nobody signs in by.
        let forms = try await browser.begin("SignOnForms")
        _ = try await browser.fill(forms, ["user.username": "demo", "user.password": "x"], action: "submit")
        for part in ["other-host", "script"] {
            let choice = try await browser.begin("ForeignLinks")
            #expect(try await browser.fill(choice, ["link": .string(part)], action: "submit")["type"] == "failure")
        }
        var social = try await browser.begin("Social")
        for (decision, user) in [("deny", "alice"), ("allow", "bob"), ("allow", "alice")] {
            let address = try await browser.depart(social, decision, as: user, bench)
            _ = try await bench.browser().open(address)
            let handle = try await browser.comeBack(address).news("resume")
            handles.append(handle)
            social = try await browser.resume(handle, of: social)
        }
        #expect(try await browser.fill(social)["signedIn"] == true, "\(social.json.text)")
        _ = try await browser.signOut("workforce")
        for device in ["old-phone", "phone"] {
            let login = try await browser.begin("Push")
            let choice = try await browser.fill(login, Browser.forms, action: "submit")
            let wait = try await browser.fill(choice, ["device": .string(device)], action: "device")
            for _ in 0..<2 {
                bench.time.advance(by: .seconds(1))
                _ = try await browser.fill(wait, action: "polling")
            }
        }
        #expect(try await browser.user("workforce").status == 200)
        bench.simulator.faults.add(.serverError(status: 502), path: "/customHTMLTemplate", count: 1)
        let broken = bench.browser()
        #expect(
            try await broken.fill(try await broken.begin(), ["username": "demo"], action: "SIGNON")["reason"]
                == "provider-unavailable")
        return handles
    }

    @Test func `is in no answer, Location, cookie, problem or log line, but a link in the answer of go`() async throws {
        try await withBench(.pingOne()) { bench in
            let handles = try await Self.travel(bench)
            await bench.settled()
            let secrets = Self.secrets(bench.simulator.requests)
            #expect(secrets.count > 60, "\(secrets.count)")
            let words = Self.raw + ["a-guess-of-somebody", "424242", "SignOnForms"] + secrets
            var links = 0
            for text in bench.recorder.lines {
                var text = text
                if text.contains("/loginFirstFactor?") {
                    // The one place for a link: the Location of `go`.
                    links += 1
                    #expect(text.contains("Location: \(bench.simulator.baseURL)/"))
                    text = text.split(separator: "\n").filter { !$0.hasPrefix("Location: ") }.joined(separator: "\n")
                }
                for word in words where text.contains(word) { Issue.record("\(word) in \(text.prefix(300))") }
                for handle in handles where text.replacing("#resume=" + handle, with: "").contains(handle.dropFirst(22))
                {
                    Issue.record("a handle in \(text.prefix(300))")
                }
            }
            #expect(links == 3)
        }
    }
}
