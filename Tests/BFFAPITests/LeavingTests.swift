import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

@Suite("Leaving and coming back over HTTP")
struct LeavingTests {
    /// How a browser opens a page.
    private static let opening: [String: String?] = ["X-CSRF": nil, "Origin": nil]
    private static let home = "https://app.example.com/#"

    /// The flow that was begun last.
    private let flow = Locked("")

    /// A body that goes on with it.
    private func back(_ handle: String) -> String {
        #"{"handle":"\#(handle)","flow":"\#(flow.withLock { $0 })"}"#
    }

    /// A browser whose flow shows a page that sends its user away, with the path of it.
    private func away(_ fixture: APIFixture, _ page: String = "Elsewhere") async throws -> (Browser, String) {
        let browser = fixture.browser
        fixture.provider.script(.start, .page(page))
        let answer = await browser.call(.post, "/bff/standard/start", "{}")
        flow.withLock { $0 = answer["flow"]?.string ?? "" }
        return (browser, try #require(answer["callbacks"]?.array?.first?["go"]?.string))
    }

    private func leave(_ browser: Browser, _ go: String) async -> Answered {
        await browser.call(.get, go, changing: Self.opening)
    }

    private func arrive(
        _ browser: Browser, _ query: String, client: String = "standard", adding: [(String, String)] = []
    ) async -> Answered {
        var fields = Self.opening
        fields["Sec-Fetch-Site"] = "cross-site"
        return await browser.call(.get, "/bff/\(client)/return?\(query)", changing: fields, adding: adding)
    }

    private func handle(_ answer: Answered) throws -> String {
        let location = try #require(answer.header("location"))
        try #require(location.hasPrefix(Self.home + "resume="))
        return String(location.dropFirst((Self.home + "resume=").count))
    }

    @Test("takes a browser out, back and on")
    func whole() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        #expect(go.hasPrefix("/bff/standard/go/"))
        let out = await leave(browser, go)
        #expect(out.status == 303 && out.header("location") == "https://social.example.com/authorize?state=s-1")
        let cookie = try #require(out.header("set-cookie"))
        #expect(cookie.hasPrefix("__Host-Http-cloakroom-return="))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax"))
        let session = browser.session
        let back = await arrive(browser, "code=c&state=s-1")
        #expect(back.status == 303 && back.headers["set-cookie"] == nil && browser.session == session)
        fixture.provider.script(.next, .success("demo"))
        let done = await browser.call(.post, "/bff/standard/resume", self.back(try handle(back)))
        #expect(done["signedIn"] == true)
    }

    @Test("that ends at a page that waits says when that may be polled")
    func waits() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        let back = await arrive(browser, "code=c&state=s-1")
        fixture.provider.script(.next, .page("Wait"))
        let page = await browser.call(.post, "/bff/standard/resume", self.back(try handle(back)))
        #expect(page["type"] == "continue" && page.header("retry-after") == "8", "\(page.text)")
    }

    @Test("leads back with a used or a foreign handle, and never out")
    func expired() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        for path in [go, "/bff/standard/go/x", "/bff/second/go/x"] {
            let answer = await leave(browser, path)
            #expect(answer.header("location") == Self.home + "return=expired" || answer.status == 404)
            #expect(answer.headers["set-cookie"] == nil)
        }
        let unknown = await leave(fixture.browser, "/bff/standard/go/x")
        #expect(unknown.status == 303 && unknown.header("location") == Self.home + "return=expired")
        let (_, other) = try await away(fixture)
        #expect(await leave(browser, other).header("location") == Self.home + "return=expired")
    }

    @Test("is not begun by another site, by HEAD, or with our cookie twice")
    func callers() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        let cross = await browser.call(
            .get, go, changing: ["X-CSRF": nil, "Origin": nil, "Sec-Fetch-Site": "cross-site"])
        #expect(cross.problem == "csrf")
        let head = await browser.call(.head, go, changing: Self.opening)
        #expect(head.status == 405 && head.header("allow") == "GET")
        let host = await browser.call(.get, go, changing: ["X-CSRF": nil, "Host": "evil.example.com"])
        #expect(host.problem == "misdirected-request")
        #expect(await leave(browser, go).status == 303)
        let twice = await arrive(
            browser, "state=s-1", adding: [("Cookie", "__Host-Http-cloakroom-return=x")])
        #expect(twice.problem == "duplicate-cookie")
        #expect(try handle(await arrive(browser, "state=s-1")).isEmpty == false)
    }

    @Test("brings each parameter once: one that comes twice is named as repeated")
    func repeatedParameter() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        #expect(await leave(browser, go).status == 303)
        let twice = await arrive(browser, "state=s-1&state=s-1")
        #expect(twice.problem == "malformed" && twice["fields"]?.array?.count == 1)
        #expect(twice["fields"]?.array?.first?["id"] == "state" && twice["fields"]?.array?.first?["code"] == "repeated")
    }

    static let noNavigations: [[(String, String)]] =
        [
            ("Sec-Purpose", "prefetch"), ("Sec-Purpose", "prefetch;prerender"),
            ("Sec-Purpose", "prefetch;anonymous-client-ip"),
            ("Purpose", "prefetch"), ("X-Purpose", "preview"), ("X-Moz", "prefetch"),
        ].map { [$0] }
        + [
            "audio", "audioworklet", "embed", "empty", "fencedframe", "font", "frame", "iframe", "image", "json",
            "manifest",
            "object", "paintworklet", "report", "script", "serviceworker", "sharedworker", "style", "track", "video",
            "webidentity", "worker", "xslt", "", "document ", "documents",
        ].map { [("Sec-Fetch-Dest", $0)] }
        + ["cors", "no-cors", "same-origin", "websocket", "", "navigates"].map { [("Sec-Fetch-Mode", $0)] }
        + ["cross-site", "same-site", "", "same-origin-ish"].map { [("Sec-Fetch-Site", $0)] }
        + [
            [("Sec-Fetch-Site", "same-site"), ("Referer", "https://evil.example.com/")],
            [("Sec-Fetch-Site", "same-site"), ("Referer", "https://app.example.com/")],
            [("Sec-Fetch-Site", "same-site"), ("Referer", "https://partner.example.com.evil.example.com/")],
            [("Sec-Fetch-Site", "cross-site"), ("Referer", "https://partner.example.com/")],
            [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Dest", "image")],
        ]

    @Test(
        "is begun by a page that the user opens alone; anything else is refused and spends nothing",
        arguments: noNavigations)
    func noNavigation(_ fields: [(String, String)]) async throws {
        let fixture = try APIFixture { $0.corsOrigins = ["https://partner.example.com"] }
        let (browser, go) = try await away(fixture)
        var bare = Self.opening
        bare["Sec-Fetch-Site"] = .some(nil)
        let refused = await browser.call(.get, go, changing: bare, adding: fields)
        #expect(refused.status == 403 && refused.problem == "csrf" && refused.headers["set-cookie"] == nil)
        #expect(await leave(browser, go).header("location") == "https://social.example.com/authorize?state=s-1")
    }

    static let navigations: [[(String, String)]] = [
        [], [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")],
        [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")],
        [("Sec-Fetch-Site", "same-site"), ("Referer", "https://partner.example.com/a?b")],
    ]

    @Test(
        "is begun by a page of ours or of a listed origin, by hand, and by browsers that say nothing",
        arguments: navigations)
    func navigation(_ fields: [(String, String)]) async throws {
        let fixture = try APIFixture { $0.corsOrigins = ["https://partner.example.com"] }
        let (browser, go) = try await away(fixture)
        var bare = Self.opening
        bare["Sec-Fetch-Site"] = .some(nil)
        let out = await browser.call(.get, go, changing: bare, adding: fields)
        #expect(out.header("location") == "https://social.example.com/authorize?state=s-1")
    }

    @Test("leads nowhere but to the application, whatever comes back")
    func openRedirects() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        for query in [
            "", "state=s-2", "returnTarget=https://evil.example.com", "target=//evil.example.com", "state=s-1%0d%0aX:1",
            "goto=https://evil.example.com&state=", "entry=x", "again",
            "resume=x&state=other",
        ] {
            let answer = await arrive(browser, query)
            #expect(answer.header("location") == Self.home + "return=no-pending-return", "\(query)")
        }
        #expect(await arrive(browser, "code=a&code=b&state=s-1").problem == "malformed")
        #expect(await arrive(browser, "state=%zz").problem == "malformed")
        #expect(await arrive(browser, "code=" + String(repeating: "c", count: 8192)).problem == "malformed")
        #expect(await arrive(browser, "state=s-1", client: "standard:alice").problem == "unknown-instance")
        #expect(await arrive(browser, "state=s-1", client: "nobody").problem == "unknown-instance")
        for method in [HTTPMethod.put, .delete, .patch, .head] {
            let answer = await browser.call(method, "/bff/standard/return", changing: Self.opening)
            #expect(answer.status == 405 && answer.header("allow") == "GET, POST")
        }
        #expect(try handle(await arrive(browser, "state=s-1")).isEmpty == false)
    }

    /// A form that another site sends: browsers leave our cookies out.
    private func post(
        _ browser: Browser, _ form: String, type: String = "application/x-www-form-urlencoded",
        from peer: PeerAddress = .loopback
    ) async -> Answered {
        await browser.call(
            .post, "/bff/standard/return", form,
            changing: [
                "X-CSRF": nil, "Origin": "https://social.example.com", "Sec-Fetch-Site": "cross-site", "Cookie": nil,
                "Content-Type": type,
            ], peer: peer)
    }

    /// The same form as our page sends it, from our origin; without a referrer its origin is `null`.
    private func postAgain(_ browser: Browser, _ page: Answered, withCookie: Bool = true) async throws -> Answered {
        let path = try #require(page.text.firstMatch(of: #/action="([^"]*)"/#)?.1)
        try #require(path == "/bff/standard/return?again")
        var query = QueryParameters()
        for field in page.text.matches(of: #/<input type="hidden" name="([^"]*)"\s+value="([^"]*)">/#) {
            query.append(String(field.1), String(field.2))
        }
        var fields: [String: String?] = [
            "X-CSRF": nil, "Origin": "null", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if !withCookie { fields["Cookie"] = .some(nil) }
        return await browser.call(.post, String(path), query.encoded, changing: fields)
    }

    @Test("has a form, with which no cookie comes, sent once more by a page of ours; the server keeps nothing")
    func forms() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        let page = await post(browser, "code=c+1&state=s-1&unheard-of=x")
        #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
        #expect(page.header("cache-control") == "no-store" && page.headers["set-cookie"] == nil)
        #expect(page.text.contains(#"name="code" value="c 1""#) && !page.text.contains("unheard-of"))
        #expect(page.text.contains("<button>") && page.text.split(separator: "<script>").count == 2)
        #expect(
            page.header("content-security-policy")
                == "default-src 'none'; script-src 'sha256-\(Self.scriptHash)'; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'")
        // The form of a browser that has no such cookie comes round once, not without end.
        let nobody = try await postAgain(browser, page, withCookie: false)
        #expect(nobody.status == 303 && nobody.header("location") == Self.home + "return=no-pending-return")
        let handle = try handle(try await postAgain(browser, page))
        fixture.provider.script(.next, .page("Again"))
        _ = await browser.call(.post, "/bff/standard/resume", back(handle))
        #expect(fixture.provider.returned == [["code": "c 1", "state": "s-1"]])
    }

    @Test("shows nothing of a form but values of names that the provider has, and none of them as markup")
    func reflected() async throws {
        let fixture = try APIFixture()
        let evil = #"%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3Cform%20action=//evil.example.com%3E"#
        let page = await post(fixture.browser, "state=\(evil)&\(evil)=x&action=x&submit=x")
        #expect(page.status == 200)
        #expect(page.text.split(separator: "<script>").count == 2 && page.text.split(separator: "<form").count == 2)
        #expect(page.text.split(separator: "<input").count == 2)
        #expect(page.text.contains(#"name="state" value="&quot;&gt;&lt;script&gt;alert(1)"#))
        // Where nothing is known there is nothing to send again.
        for form in ["", "a=b", "\(evil)=\(evil)"] {
            let answer = await post(fixture.browser, form)
            #expect(answer.header("location") == Self.home + "return=no-pending-return", "\(form)")
        }
        #expect(await post(fixture.browser, "code=a&code=b").problem == "malformed")
        #expect(await post(fixture.browser, "state=s&" + String(repeating: "a=b&", count: 64)).problem == "malformed")
    }

    @Test("takes no SAML response, nothing that is no form, and nothing long")
    func refusedForms() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        #expect(await post(browser, "SAMLResponse=x&RelayState=y").problem == "malformed")
        #expect(await post(browser, "{}", type: "application/json").problem == "unsupported-media-type")
        #expect(await post(browser, "a=%zz").problem == "malformed")
        #expect(await post(browser, "a=" + String(repeating: "x", count: 8191)).problem == "body-too-large")
    }

    @Test("has no rate that others use up: forms of forty addresses keep nobody from coming back by one")
    func formsOfOthers() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        for address in 1...40 {
            let peer = PeerAddress(bytes: [192, 0, 2, UInt8(address)])
            for _ in 0..<30 { _ = await post(fixture.browser, "state=x", from: peer) }
        }
        let page = await post(browser, "state=s-1")
        #expect(try handle(try await postAgain(browser, page)).isEmpty == false)
    }

    @Test("posts a form of the provider by a page that runs one script and lets nothing else in")
    func page() async throws {
        let fixture = try APIFixture()
        let (browser, go) = try await away(fixture, "Form")
        let answer = await leave(browser, go)
        #expect(answer.status == 200 && answer.header("content-type") == "text/html; charset=utf-8")
        #expect(answer.text.contains(#"action="https://social.example.com/sso?a=1&amp;b=2""#))
        #expect(
            answer.text.contains(
                #"name="Request" value="&quot;&gt;&lt;script&gt;alert('1')&lt;/script&gt;&amp;""#))
        #expect(answer.text.split(separator: "<script>").count == 2 && answer.text.contains("<button>"))
        let policy = try #require(answer.header("content-security-policy"))
        #expect(
            policy
                == "default-src 'none'; script-src 'sha256-\(Self.scriptHash)'; form-action https:; base-uri 'none'; "
                + "frame-ancestors 'none'")
        #expect(answer.header("set-cookie")?.contains("cloakroom-return=") == true)
    }

    /// Of `HTMLFormElement.prototype.submit.call(document.forms[0])`, by `openssl dgst -sha256 -binary | base64`.
    private static let scriptHash = "ox4bri+xTrW3kuLTyRoak73QX8KZGuyP3JlQYusbSlA="

    @Test("of two hundred tabs bothers nobody else, and the browser with no more than its rate")
    func many() async throws {
        let fixture = try APIFixture { $0.sessionRate = RateLimit(burst: 1000, perMinute: 1000) }
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        for _ in 0..<200 { _ = await arrive(browser, "state=wrong") }
        #expect(try handle(await arrive(browser, "state=s-1")).isEmpty == false)
    }

    @Test("is under the rates")
    func rates() async throws {
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 2, perMinute: 1) }
        let (browser, go) = try await away(fixture)
        _ = await leave(browser, go)
        for path in [go, "/bff/standard/return"] {
            #expect(await browser.call(.get, path, changing: Self.opening).problem == "too-many-requests")
        }
        #expect(await post(browser, "a=b").problem == "too-many-requests")
        #expect(await browser.call(.post, "/bff/standard/resume", back("x")).problem == "too-many-requests")
    }

    @Test(
        "goes on with exactly one of handle, suspendedId and uri",
        arguments: [
            ("{}", "malformed"), (#"{"handle":"x","suspendedId":"y"}"#, "malformed"),
            (#"{"handle":"x"}"#, "malformed"), (#"{"flow":"f_x"}"#, "malformed"),
            (#"{"handle":"x","flow":1}"#, "malformed"),
            (#"{"suspendedId":"x","flow":"f_x"}"#, "malformed"),
            (#"{"handle":"x","flow":"f_x","noSession":true}"#, "malformed"), (#"{"suspendedId":""}"#, "malformed"),
            (#"{"suspendedId":"x","journey":"Login"}"#, "malformed"),
            (#"{"uri":"https://x.example/?a=1"}"#, "malformed"),
            (#"{"uri":"https://x.example/?suspendedId="}"#, "malformed"), (#"{"uri":"/?suspendedId=1"}"#, "malformed"),
            (#"{"uri":"https://x.example/?suspendedId=1&suspendedId=2"}"#, "malformed"),
            (#"{"uri":"https://x.example/?suspendedId=1&realm=a&realm=b"}"#, "malformed"),
            (#"{"handle":"x","flow":"f_x"}"#, "no-pending-return"),
            (#"{"suspendedId":"x","returnTarget":"no"}"#, "not-allowed"),
        ])
    func bodies(_ body: String, _ problem: String) async throws {
        let fixture = try APIFixture()
        #expect(await fixture.browser.call(.post, "/bff/standard/resume", body).problem == problem)
        #expect(fixture.provider.count(.start) == 0)
    }

    @Test("opens no links without end for one address, where each begins a session")
    func linkRate() async throws {
        let fixture = try APIFixture { $0.newSessionRate = RateLimit(burst: 1, perMinute: 1) }
        let answers = [
            await fixture.browser.call(.post, "/bff/standard/resume", #"{"suspendedId":"a"}"#),
            await fixture.browser.call(.post, "/bff/standard/resume", #"{"suspendedId":"b"}"#),
        ]
        #expect(answers.map(\.status) == [200, 429] && fixture.provider.count(.start) == 1)
    }

    @Test("opens a link by its suspendedId alone, and makes a session for it")
    func links() async throws {
        let fixture = try APIFixture()
        let browser = fixture.browser
        let uri = "https://evil.example.com/x?authIndexValue=y&suspendedId=a%2Bb#suspendedId=z"
        let answer = await browser.call(.post, "/bff/standard/resume", #"{"uri":"\#(uri)"}"#)
        #expect(answer["type"] == "continue" && answer["crossBrowser"] == true)
        #expect(answer.header("set-cookie")?.hasPrefix("__Host-Http-cloakroom-start=") == true)
        let start = try #require(fixture.provider.lastStart)
        #expect(start.isResumed && start.product == StartMembers(["uri": .string(uri)], link: "uri"))
    }
}
