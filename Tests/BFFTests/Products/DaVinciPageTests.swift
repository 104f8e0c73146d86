import Basics
import DaVinciProduct
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("A page of a DaVinci flow, behind the use cases,")
struct DaVinciPageTests {
    // MARK: Credentials

    private static let challenge = (1...16).map { String($0) }.joined(separator: ",")

    private static func fido(_ rpID: String = "example.com", _ more: String = "") -> String {
        """
        {"type":"FIDO2","key":"fido","action":"AUTHENTICATE","label":"Continue","publicKeyCredentialRequestOptions":\
        {"challenge":[\(challenge)],"rpId":"\(rpID)"\(more)}},{"type":"FLOW_LINK","key":"other","label":"Another way"}
        """
    }

    private func flow(_ fields: String, _ bench: DaVinciBench) async throws -> any OpenedFlow {
        bench.ping.starts(ScriptedPingOne.page(fields))
        let outcome = try await bench.client.start(StartRequest(), session: nil, PingDesk().caller())
        guard case .page(let flow) = outcome else { throw Failed() }
        return flow
    }

    private struct Failed: Error {}

    private func codes(_ flow: any OpenedFlow, _ values: [String: JSONValue], _ action: String? = nil) -> [String] {
        guard case .wrong(let problems) = flow.judge(PageAnswers(values: values, action: action)) else { return [] }
        return problems.map { "\($0.id) \($0.code)" }
    }

    private func credential(
        _ flow: any OpenedFlow, origin: String = DaVinciBench.origin,
        _ change: (inout SoftwareAuthenticator.Deviation) -> Void = { _ in }
    ) throws -> JSONValue {
        let authenticator = SoftwareAuthenticator(origin: origin)
        _ = try authenticator.create([
            "rp": ["id": "example.com"], "user": ["id": "dTE"], "challenge": "AQID",
            "pubKeyCredParams": [["type": "public-key", "alg": -7]],
        ])
        var deviation = SoftwareAuthenticator.Deviation()
        change(&deviation)
        let options = flow.document["collectors"]?[0]?["publicKey"]
        return ["credential": try authenticator.get(options, deviation)]
    }

    @Test("takes a credential that was made for it, and refuses others before PingOne is asked")
    func credentials() async throws {
        let bench = try DaVinciBench()
        let flow = try await flow(Self.fido(), bench)
        #expect(codes(flow, ["fido": try credential(flow)]) == [])
        #expect(codes(flow, ["fido": try credential(flow) { $0.challenge = "AAAA" }]) == ["fido wrong-challenge"])
        let elsewhere = try credential(flow, origin: "https://evil.example")
        #expect(codes(flow, ["fido": elsewhere]) == ["fido wrong-origin"])
        #expect(codes(flow, ["fido": try credential(flow) { $0.relyingParty = "x" }]) == ["fido wrong-relying-party"])
        let listing = try await self.flow(Self.fido("example.com", #","allowCredentials":[{"id":[1]}]"#), bench)
        #expect(codes(listing, ["fido": try credential(flow)]) == ["fido not-offered"])
        #expect(codes(flow, ["fido": ["error": ["name": "NotAllowedError"]]]) == [])
        // The answer of the one that is pressed besides is judged too.
        #expect(codes(flow, ["fido": elsewhere], "other") == ["fido wrong-origin"])
    }

    @Test("names what is wrong with answers in the order of the page, and then what is no question of it")
    func order() async throws {
        let bench = try DaVinciBench()
        let text = { (key: String) in #"{"type":"TEXT","key":"\#(key)"}"# }
        let flow = try await flow([text("z"), Self.fido(), text("a")].joined(separator: ","), bench)
        for fido: JSONValue in [["credential": [:]], ["assertionValue": [:]]] {
            let found = codes(flow, ["c": 1, "a": 1, "fido": fido, "z": 1, "b": 1])
            #expect(found.map { $0.prefix { $0 != " " } } == ["z", "fido", "a", "b", "c"], "\(found)")
        }
    }

    @Test("takes no credential that somebody has finished elsewhere, in any form")
    func finished() async throws {
        let bench = try DaVinciBench()
        let flow = try await flow(Self.fido(), bench)
        let response: JSONValue = [
            "clientDataJSON": "AA==", "authenticatorData": "AA==", "signature": "AA==", "userHandle": .null,
        ]
        let value: JSONValue = ["id": "AA", "type": "public-key", "rawId": "AA==", "response": response]
        #expect(codes(flow, ["fido": ["assertionValue": value]]) == ["fido wrong-type"])
        #expect(codes(flow, ["fido": ["assertionValue": value, "credential": value]]).isEmpty == false)
        let fields = Self.fido().replacing("AUTHENTICATE", with: "REGISTER").replacing(
            "RequestOptions", with: "CreationOptions")
        let registration = try await self.flow(fields, bench)
        #expect(codes(registration, ["fido": ["attestationValue": value]]) == ["fido wrong-type"])
    }

    @Test("asks no browser for a credential that no page of ours can have")
    func strangers() async throws {
        let bench = try DaVinciBench()
        let flow = try await flow(Self.fido("other.example"), bench)
        #expect(flow.document["collectors"]?[0]?["publicKey"] == nil)
        #expect(bench.log.lines.contains { $0.contains("other.example") })
        #expect(codes(flow, ["fido": ["error": ["name": "NotAllowedError"]]]) == [])
    }

    // MARK: Other identity providers

    private static func social(_ host: String = "accounts.example.com", key: String = "google", more: String = "")
        -> String
    {
        #"{"type":"SOCIAL_LOGIN_BUTTON","key":"\#(key)","label":"Go","idpType":"GOOGLE"\#(more),"#
            + #""links":{"authenticate":{"href":"https://\#(host)/go?secret=\#(key)"}}}"#
    }

    private func handle(_ node: JSONValue, _ index: Int) throws -> String {
        String(try #require(node["collectors"]?[index]?["go"]?.string?.split(separator: "/").last))
    }

    @Test("is left by each of its buttons, once, and goes on with what was brought back")
    func social() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let fields = Self.social() + "," + Self.social("auth.pingone.example", key: "own") + "," + signOnFields
        let page = try await bench.begin(browser, "workforce", fields)
        #expect(page["collectors"]?[0]?["enabled"] == true && page.text.contains("secret=") == false)
        let first = try handle(page, 0), second = try handle(page, 1)
        #expect(first != second)
        guard case .to(let departure, _) = try await browser.leave(handle: second, "workforce") else { throw Failed() }
        #expect(departure == Departure(address: "https://auth.pingone.example/go?secret=own"))
        // One of them was used: each has another handle now.
        #expect(try await browser.leave(handle: first, "workforce") == .expired(target: "/"))
        let again = try await browser.flow(page, "workforce")
        guard case .to = try await browser.leave(handle: try handle(again, 0), "workforce") else { throw Failed() }
        let calls = bench.ping.network.requests.count
        let arrival = try await browser.arrive(["continueToken": "ct", "state": "x"], "workforce")
        #expect(bench.ping.network.requests.count == calls)
        bench.ping.network.on(.post, ScriptedPingOne.resume, answering: DaVinciBench.success())
        let handle = try #require(arrival.handle)
        #expect(try await browser.resume(handle, "workforce", of: page["flow"]?.string)["signedIn"] == true)
        #expect(try await browser.resume(handle, "workforce", of: page["flow"]?.string)["signedIn"] == true)
        let sent = bench.ping.sent(ScriptedPingOne.resume)
        #expect(
            sent.count == 1 && sent.first?.field("Authorization") == "Bearer ct" && sent.first?.body == Array("{}".utf8)
        )
        #expect(sent.first?.field("interactionId") == nil && sent.first?.field("x-requested-with") == "ping-sdk")
    }

    @Test("says that the other provider has signed nobody in, and can be answered again")
    func refused() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let page = try await bench.begin(browser, "workforce", Self.social() + "," + signOnFields)
        _ = try await browser.leave(handle: try handle(page, 0), "workforce")
        let calls = bench.ping.network.requests.count
        let arrival = try await browser.arrive(["error": "access_denied"], "workforce")
        let node = try await browser.resume(try #require(arrival.handle), "workforce", of: page["flow"]?.string)
        #expect(node["type"] == "error" && node["details"] == [["target": "return"]])
        #expect(node["message"]?.string?.isEmpty == false && bench.ping.network.requests.count == calls)
        bench.ping.answers(DaVinciBench.success())
        #expect(try await bench.next(browser, node, ["username": "u", "password": "p"])["signedIn"] == true)
    }

    @Test("may be left for a site that signs nobody in more often than somebody may guess")
    func oftenAstray() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        var page = try await bench.begin(browser, "workforce", Self.social() + "," + signOnFields)
        for _ in 0..<12 {
            _ = try await browser.leave(handle: try handle(page, 0), "workforce")
            let arrival = try await browser.arrive(["error": "access_denied"], "workforce")
            page = try await browser.resume(
                try #require(arrival.handle), "workforce", of: page["flow"]?.string)
            #expect(page["type"] == "error")
        }
        bench.ping.answers(DaVinciBench.success())
        #expect(try await bench.next(browser, page, ["username": "u", "password": "p"])["signedIn"] == true)
    }

    @Test("goes on with nothing that is no return, nor in another browser, nor after an answer")
    func astray() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let page = try await bench.begin(browser, "workforce", Self.social() + "," + signOnFields)
        _ = try await browser.leave(handle: try handle(page, 0), "workforce")
        let stranger = bench.browser
        #expect(try await stranger.arrive(["continueToken": "ct"], "workforce").handle == nil)
        let empty = try await browser.arrive(["continueToken": ""], "workforce")
        await #expect(throws: BFFError.noPendingReturn) {
            try await browser.resume(empty.handle ?? "", "workforce", of: page["flow"]?.string)
        }
        let fresh = try await browser.flow(page, "workforce")
        _ = try await browser.leave(handle: try handle(fresh, 0), "workforce")
        let late = try await browser.arrive(["continueToken": "ct"], "workforce")
        bench.ping.answers(ScriptedPingOne.page(signOnFields))
        _ = try await bench.next(browser, page, ["username": "u"])
        await #expect(throws: BFFError.noPendingReturn) {
            try await browser.resume(late.handle ?? "", "workforce", of: page["flow"]?.string)
        }
        #expect(bench.ping.sent(ScriptedPingOne.resume).isEmpty)
    }

    @Test(
        "lets nobody leave where no browser is sent, or whence no flow goes on",
        arguments: ["other.example.com", "accounts.example.com:444", "evil.accounts.example.com", ""])
    func offersNoDeparture(_ host: String) async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let fields = Self.social(host, more: host.isEmpty ? #","idpEnabled":false"# : "") + "," + signOnFields
        let page = try await bench.begin(browser, "workforce", fields)
        #expect(page["collectors"]?[0]?["enabled"] == false && page["collectors"]?[0]?["go"] == nil)
        #expect(bench.log.lines.contains { $0.contains("linkHosts") } == !host.isEmpty)
        #expect(!bench.log.lines.contains { $0.contains("secret=") })
        do {
            _ = try await bench.next(browser, page, action: "google")
            Issue.record("pressed")
        } catch BFFError.invalidAnswers(let problems) {
            #expect(problems.map { "\($0.id) \($0.code)" } == ["google not-offered"])
        }
        bench.ping.answers(DaVinciBench.success())
        #expect(try await bench.next(browser, page, ["username": "u"])["signedIn"] == true)
    }

    // MARK: Polls

    private static let poll = #"{"type":"POLLING","key":"poll","pollInterval":3000,"pollRetries":10}"#
    private static let rewind = #"{"eventName":"rewindStateToLastRenderedUI"}"#

    @Test("is polled when that is due, without a step, and answered by another button meanwhile")
    func polls() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let page = try await bench.begin(browser, "workforce", Self.poll + "," + signOnFields)
        #expect(page["collectors"]?[0]?["nextPollIn"] == 3000 && page["collectors"]?[0]?["retriesLeft"] == 10)
        let poll = try DaVinciBench.answer(page, action: "poll")
        #expect(try await browser.next(poll, "workforce")["step"] == 1)
        #expect(bench.ping.sent(ScriptedPingOne.next).isEmpty)
        bench.ping.answers(Self.rewind)
        for left in [9, 8] {
            bench.ping.time.advance(by: .seconds(3))
            let node = try await browser.next(poll, "workforce")
            #expect(node["step"] == 1 && node["collectors"]?[0]?["retriesLeft"]?.int == Int64(left))
            #expect(node["collectors"]?[0]?["nextPollIn"] == 3000)
            #expect(bench.ping.body?["parameters"]?["eventType"] == "polling")
            #expect(bench.ping.body?["parameters"]?["data"]?["formData"] == ["poll": "continue"])
        }
        // It would ask too early.
        _ = try await browser.next(poll, "workforce")
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 2)
        bench.ping.answers(ScriptedPingOne.page(signOnFields, id: "n2"))
        let other = try await bench.next(browser, page, action: "TROUBLE")
        #expect(other["step"] == 2 && bench.ping.body?["parameters"]?["data"]?["actionKey"] == "TROUBLE")
    }

    @Test("can be left while a poll is on its way, which changes nothing, and not where it changes the page")
    func leftWhilePolled() async throws {
        for isChanged in [false, true] {
            let bench = try DaVinciBench(links: ["accounts.example.com"])
            let browser = bench.browser
            let page = try await bench.begin(browser, "workforce", Self.social() + "," + Self.poll)
            let handle = try handle(page, 0)
            let gate = Gate()
            let next = isChanged ? ScriptedPingOne.page(signOnFields, id: "n2") : Self.rewind
            bench.ping.network.on(.post, ScriptedPingOne.next) { _ in
                await gate.pass()
                return .json(next)
            }
            bench.ping.time.advance(by: .seconds(3))
            let poll = try DaVinciBench.answer(page, action: "poll")
            let other = browser.at(bench.backend)
            async let polled = other.next(poll, "workforce")
            await gate.waitUntilHeld()
            // Who leaves waits for changes of the session.
            bench.seen.before("changes") { gate.open() }
            let left = try await browser.leave(handle: handle, "workforce")
            gate.open()
            _ = try await polled
            if case .to = left { #expect(!isChanged) } else { #expect(isChanged) }
        }
    }

    @Test("is left once by each handle, also after the polls that follow")
    func leftOnce() async throws {
        let bench = try DaVinciBench(links: ["accounts.example.com"])
        let browser = bench.browser
        let page = try await bench.begin(browser, "workforce", Self.social() + "," + Self.poll)
        let used = try handle(page, 0)
        guard case .to = try await browser.leave(handle: used, "workforce") else { throw Failed() }
        bench.ping.answers(Self.rewind)
        bench.ping.time.advance(by: .seconds(3))
        let polled = try await browser.next(try DaVinciBench.answer(page, action: "poll"), "workforce")
        if case .to = try await browser.leave(handle: used, "workforce") { Issue.record("left twice by one handle") }
        guard case .to = try await browser.leave(handle: try handle(polled, 0), "workforce") else { throw Failed() }
    }

    @Test("that cannot be polled as it says tells the flow at once, and then no faster than twice a second")
    func broken() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let field = #"{"type":"POLLING","key":"poll","pollInterval":3000,"pollChallengeStatus":true}"#
        let page = try await bench.begin(browser, "workforce", field)
        let poll = try DaVinciBench.answer(page, action: "poll")
        bench.ping.answers(Self.rewind)
        let node = try await browser.next(poll, "workforce")
        #expect(node["collectors"]?[0]?["nextPollIn"] == 500)
        #expect(bench.ping.body?["parameters"]?["data"]?["formData"] == ["poll": "error"])
        _ = try await browser.next(poll, "workforce")
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 1)
        bench.ping.time.advance(by: .milliseconds(500))
        _ = try await browser.next(poll, "workforce")
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 2)
    }

    @Test("whose flow could not be told of a challenge asks for that no sooner than if it had been")
    func untold() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let field =
            #"{"type":"POLLING","key":"poll","pollInterval":3000,"pollRetries":10,"pollChallengeStatus":true,"challenge":"ch 1"}"#
        let page = try await bench.begin(browser, "workforce", field)
        let poll = try DaVinciBench.answer(page, action: "poll")
        bench.ping.network.on(
            .post, ScriptedPingOne.status, answering: .json(#"{"isChallengeComplete":true,"status":"approved"}"#))
        bench.ping.network.on(.post, ScriptedPingOne.next, failing: .notReached(.connect))
        bench.ping.time.advance(by: .seconds(3))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) {
            try await browser.next(poll, "workforce")
        }
        #expect(try await browser.next(poll, "workforce")["collectors"]?[0]?["nextPollIn"] == 3000)
        #expect(bench.ping.sent(ScriptedPingOne.status).count == 1)
        bench.ping.time.advance(by: .seconds(3))
        bench.ping.answers(DaVinciBench.success())
        #expect(try await browser.next(poll, "workforce")["signedIn"] == true)
    }

    @Test("that wants to be polled at once is asked again no faster than twice a second when PingOne is not reached")
    func unreached() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let field = #"{"type":"POLLING","key":"poll","pollInterval":3000,"pollChallengeStatus":true}"#
        let page = try await bench.begin(browser, "workforce", field)
        let poll = try DaVinciBench.answer(page, action: "poll")
        bench.ping.network.on(.post, ScriptedPingOne.next, failing: .notReached(.connect))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) {
            try await browser.next(poll, "workforce")
        }
        bench.ping.answers(DaVinciBench.success())
        #expect(try await browser.next(poll, "workforce")["collectors"]?[0]?["nextPollIn"] == 500)
        bench.ping.time.advance(by: .milliseconds(500))
        #expect(try await browser.next(poll, "workforce")["signedIn"] == true)
    }

    @Test("is polled once for all, and what ends the wait is every poll's answer")
    func ends() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let page = try await bench.begin(browser, "workforce", Self.poll)
        let poll = try DaVinciBench.answer(page, action: "poll")
        bench.ping.answers(DaVinciBench.success())
        bench.ping.time.advance(by: .seconds(3))
        let tab = browser.at(bench.backend)
        async let one = browser.next(poll, "workforce")
        async let two = tab.next(poll, "workforce")
        for node in try await [one, two] { #expect(node["signedIn"] == true) }
        #expect(bench.ping.sent(ScriptedPingOne.next).count == 1)
    }

    @Test("that asks PingOne for a challenge does so for each due poll, and tells the flow once")
    func challenges() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        let fields = Self.poll.replacing(
            #""pollInterval""#, with: #""pollChallengeStatus":true,"challenge":"ch 1","pollInterval""#)
        let page = try await bench.begin(browser, "workforce", fields)
        #expect(page["collectors"]?[0]?["mode"] == "challenge" && !page.text.contains("ch 1"))
        let poll = try DaVinciBench.answer(page, action: "poll")
        bench.ping.network.on(
            .post, ScriptedPingOne.status, answering: .json(#"{"isChallengeComplete":false}"#),
            .json(#"{"isChallengeComplete":true,"status":"approved"}"#))
        bench.ping.answers(DaVinciBench.success())
        bench.ping.time.advance(by: .seconds(3))
        #expect(try await browser.next(poll, "workforce")["step"] == 1)
        #expect(bench.ping.sent(ScriptedPingOne.next).isEmpty)
        bench.ping.time.advance(by: .seconds(3))
        #expect(try await browser.next(poll, "workforce")["signedIn"] == true)
        #expect(bench.ping.sent(ScriptedPingOne.status).count == 2)
        #expect(bench.ping.body?["parameters"]?["data"]?["formData"] == ["poll": "approved"])
    }
}
