import BFFAPI
import Basics
import Cloakroom
import Cryptography
import HTTPCore
import IdentitySimulator
import JSON
import StorageKit
import TestSupport
import Testing

/// Over real HTTP, with flows of the simulator, as davinci-client calls.
@Suite("A page on Ping's client for DaVinci", .timeLimit(.minutes(2)))
struct PingDaVinciTests {
    private static let base = "/bff/workforce/davinci/env"
    private static let verifier = "verifier-of-43-characters-or-more-0123456789abc"

    private static func options() -> Bench.Options {
        var options = Bench.Options.pingOne()
        let adjust = options.adjust
        options.api = { $0.pingClients = ["workforce"] }
        options.adjust = { settings, simulator in
            try adjust(&settings, simulator)
            settings.api.pingClients = ["workforce"]
        }
        return options
    }

    /// A browser that keeps the node that it was given, as davinci-client does: a refusal is no new node.
    private struct Page {
        let bench: Bench
        let browser: Browser
        var node: Browser.Answer

        private static func authorize(_ bench: Bench, _ more: String) -> String {
            let challenge = Base64URL.encode(Digest.hash(utf8: verifier))
            return base + "/as/authorize?response_mode=pi.flow&response_type=code&client_id=spa&scope=openid&state=s1"
                + "&redirect_uri=\(PercentEncoding.encode(bench.base.origin + "/callback"))"
                + "&code_challenge=\(challenge)&code_challenge_method=S256\(more)"
        }

        init(_ bench: Bench, _ more: String = "", _ browser: Browser? = nil) async throws {
            self.bench = bench
            self.browser = browser ?? bench.browser()
            node = try await self.browser.call(.get, Self.authorize(bench, more))
        }

        func path(_ link: String) throws -> String {
            let address = try #require(node["_links"]?[link]?["href"]?.string)
            #expect(address.hasPrefix(bench.base.origin + "/bff/"))
            return String(address.dropFirst(bench.base.origin.count))
        }

        /// Sends a request for the node.
        func send(
            _ event: String, _ key: String = "", _ form: JSONObject = [:], id: JSONValue? = nil
        ) async throws -> Browser.Answer {
            try await browser.call(
                .post, try path("next"),
                [
                    "id": id ?? node["id"] ?? "", "eventName": node["eventName"] ?? "continue",
                    "interactionId": node["interactionId"] ?? "",
                    "parameters": [
                        "eventType": .string(event), "data": ["actionKey": .string(key), "formData": .object(form)],
                    ],
                ])
        }

        func signOn(_ password: JSONValue = "Ch4ng3it!") async throws -> Browser.Answer {
            try await send("submit", "SIGNON", ["username": "demo", "password": password])
        }
    }

    @Test("is signed in where no code finds room: the error brings the cookie")
    func noRoom() async throws {
        var options = Self.options()
        let time = ManualTime()
        let store = SwitchedStore(MemoryStore(time: time))
        options.time = time
        options.extensions.store = store
        try await withBench(options) { bench in
            let page = try await Page(bench)
            store.isFull = true
            let answer = try await page.signOn()
            #expect(answer.status == 503, "\(answer.json.text)")
            store.isFull = false
            #expect(try await page.browser.call(.get, "/bff/workforce/user").status == 200)
        }
    }

    @Test("signs in by PingOne's own nodes, and gets a code for placeholders in place of an interaction")
    func signIn() async throws {
        try await withBench(Self.options()) { bench in
            let page = try await Page(bench)
            #expect(page.node.status == 200 && page.node["form.components.fields.0.key"] == "username")
            #expect(page.node["interactionId"]?.string?.hasPrefix("f_") == true)
            #expect(page.node["interactionId"] == page.node["interactionToken"])
            #expect(!page.node.json.text.contains(bench.simulator.baseURL))
            let done = try await page.signOn()
            #expect(done["authorizeResponse.state"] == "s1", "\(done.json.text)")
            let code = try #require(done["authorizeResponse.code"]?.string)
            var form = QueryParameters()
            for (name, value) in [
                ("grant_type", "authorization_code"), ("client_id", "spa"), ("code", code),
                ("redirect_uri", bench.base.origin + "/callback"), ("code_verifier", Self.verifier),
            ] {
                form.append(name, value)
            }
            let tokens = try await page.browser.call(.post, Self.base + "/as/token", form: form)
            #expect(tokens.status == 200 && tokens["access_token"] != nil, "\(tokens.json.text)")
            let again = try await page.browser.call(.post, Self.base + "/as/token", form: form)
            #expect(again.status == 400 && again["error"] == "invalid_grant")
            let user = try await page.browser.call(.get, Self.base + "/as/userinfo")
            #expect(user["preferred_username"] == "demo" || user["sub"] != nil)
            // The session of PingOne signs in again at once.
            let second = try await Page(bench, "", page.browser)
            #expect(second.node["authorizeResponse.code"] != nil)
            let silent = try await Page(bench, "&prompt=none", page.browser)
            #expect(silent.node["authorizeResponse.code"] != nil)
            let out = try await page.browser.call(.get, Self.base + "/as/idpSignoff?id_token_hint=x")
            #expect(out.status == 204)
            let none = try await Page(bench, "&prompt=none", page.browser)
            #expect(none.node.status == 401 && none.node["details.0.code"] == "login_required")
        }
    }

    @Test("is told of a refusal at its node, and answers that node again, however often")
    func refusals() async throws {
        try await withBench(Self.options()) { bench in
            let page = try await Page(bench)
            for password: JSONValue in ["x", "x", "y"] {
                let refused = try await page.signOn(password)
                #expect(refused.status == 400 && refused["message"] == "Invalid username and/or password")
                #expect(refused["interactionId"] == nil && refused["_links"] == nil)
            }
            #expect(try await page.signOn()["authorizeResponse.code"] != nil)
            let late = try await page.signOn("z")
            #expect(late.status >= 400 && late["code"] == "requestTimedOut")
        }
    }

    @Test("sends no value that its form does not have, and no answer to another node")
    func forged() async throws {
        try await withBench(Self.options()) { bench in
            let page = try await Page(bench)
            let calls = bench.simulator.received("/davinci/")
            for refused in [
                try await page.send("submit", "SIGNON", ["username": "demo", "other": "x"]),
                try await page.send("submit", "OTHER", [:]), try await page.send("other", "SIGNON", [:]),
                try await page.send("submit", "SIGNON", ["username": 5]),
                try await page.send("submit", "SIGNON", ["username": "demo"], id: "other"),
            ] {
                #expect(refused.status == 422 && refused["details.0.rawResponse.code"] == "INVALID_DATA")
            }
            let thief = try await Page(bench)
            let stolen = try await thief.browser.call(
                .post, try page.path("next"),
                ["id": page.node["id"] ?? "", "interactionId": page.node["interactionId"] ?? ""])
            #expect(stolen.status >= 400 && stolen["code"] == "requestTimedOut")
            let elsewhere = try page.path("next").replacing(
                PercentEncoding.encode(bench.base.origin), with: PercentEncoding.encode("https://evil.example"))
            let sent = try await page.browser.call(.post, elsewhere, [:])
            #expect(sent.status == 400)
            for headers: [String: String?] in [["x-csrf": nil], ["origin": "https://evil.example"]] {
                let other = try await page.browser.call(.post, try page.path("next"), [:], headers: headers)
                #expect(other.status == 403)
                let start = try await page.browser.call(
                    .get, Self.base + "/as/authorize?response_mode=pi.flow", headers: headers)
                #expect(start.status == 403)
            }
            #expect(bench.simulator.received("/davinci/") == calls)
        }
    }

    @Test("waits for a challenge by the server, and goes on by what the user decided")
    func challenge() async throws {
        try await withBench(Self.options()) { bench in
            var page = try await Page(bench, "&acr_values=Push")
            page.node = try await page.send("submit", "submit", Browser.forms)
            let device: JSONValue = ["type": "MOBILE", "id": "phone", "value": ""]
            page.node = try await page.send("submit", "", ["device": device])
            let fields = try #require(page.node["form.components.fields"]?.array)
            let poll = try #require(fields.first { $0["type"] == "POLLING" })
            let challenge = try #require(poll["challenge"]?.string)
            #expect(challenge.hasPrefix("workforce.f_"))
            let path = "/bff/davinci/user/credentials/challenge/\(challenge)/status"
            let thief = try await bench.browser().call(.post, path, [:])
            #expect(thief.status >= 400 && thief["isChallengeComplete"] == nil)
            var status = try await page.browser.call(.post, path, [:])
            #expect(status["isChallengeComplete"] == false)
            for _ in 0..<10 where status["isChallengeComplete"] != true {
                bench.time.advance(by: .seconds(5))
                status = try await page.browser.call(.post, path, [:])
            }
            #expect(status["isChallengeComplete"] == true && status["status"] == "complete", "\(status.json.text)")
            let key = poll["key"]?.string ?? "polling"
            let done = try await page.send("polling", "", [key: "complete"])
            #expect(done["authorizeResponse.code"] != nil, "\(done.json.text)")
        }
    }

    @Test("passes the data of other vendors' programs on, and their answers back")
    func programs() async throws {
        try await withBench(Self.options()) { bench in
            var page = try await Page(bench, "&acr_values=Metadata")
            page.node = try await page.send("submit", "submit", Browser.forms)
            let metadata = try #require(page.node["form.components.fields"]?.array?.first)
            #expect(metadata["type"] == "METADATA" && metadata["payload"]?["sessionToken"] == "abc123")
            // Neither another field nor a text in place of an object.
            for form: JSONObject in [["other": ["a": 1]], ["sdkMetadata": "text"]] {
                #expect(try await page.send("action", "sdkMetadata", form).status == 422, "\(form)")
            }
            let done = try await page.send("action", "sdkMetadata", ["sdkMetadata": ["verified": true]])
            #expect(done["authorizeResponse.code"] != nil, "\(done.json.text)")

            var face = try await Page(bench, "&acr_values=Recognize")
            face.node = try await face.send("submit", "submit", Browser.forms)
            let recognize = try #require(face.node["form.components.fields"]?.array?.first)
            #expect(recognize["type"] == "RECOGNIZE" && recognize["operationType"] == "AUTHENTICATE")
            var answer: JSONObject = [:]
            for name in ["clientState", "devicePublicSigningKey", "clientError", "clientErrorCode"] {
                answer[name] = ""
            }
            answer["signedJwt"] = "signed"
            answer["recognizeId"] = "r1"
            let seen = try await face.send("submit", "recognize", ["recognize": .object(answer)])
            #expect(seen["authorizeResponse.code"] != nil, "\(seen.json.text)")
        }
    }

    @Test("goes to another provider by an address of this server, and comes back with a handle as its token")
    func social() async throws {
        try await withBench(Self.options()) { bench in
            bench.simulator.applicationURL = bench.base.origin
            let page = try await Page(bench, "&acr_values=Social")
            let fields = page.node["form.components.fields"]?.array ?? []
            let button = try #require(fields.first { $0["type"] == "SOCIAL_LOGIN_BUTTON" })
            let address = try #require(button["links"]?["authenticate"]?["href"]?.string)
            #expect(address.hasPrefix(bench.base.origin + "/bff/workforce/go/"))
            let back = try await page.browser.depart(
                at: String(address.dropFirst(bench.base.origin.count)), "allow", as: "carol", bench)
            let handle = try await page.browser.comeBack(back).news("resume")
            let path = try page.path("continue")
            for token in [nil, "Bearer x", handle] as [String?] {
                let refused = try await page.browser.call(.post, path, [:], headers: ["authorization": token])
                #expect(refused.status >= 400)
            }
            let done = try await page.browser.call(.post, path, [:], headers: ["authorization": "Bearer \(handle)"])
            #expect(done["authorizeResponse.code"] != nil, "\(done.json.text)")
        }
    }
}
