import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("Guessing")
struct GuessingTests {
    private func told(_ fixture: Fixture) -> [AuditLine] {
        fixture.log.lines.compactMap { AuditLine($0) }.filter { $0.event != "admin" }
    }

    @Test("ends a flow with the eleventh refused answer, and says so", arguments: [true, false])
    func endsFlow(bySamePage: Bool) async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let limit = fixture.settings.refusals
        for _ in 0...limit {
            fixture.provider.script(.next, bySamePage ? .page(FakeProvider.firstPage) : .refused("Wrong"))
        }
        var node = try await browser.start()
        for _ in 0..<limit {
            node = try await browser.next(try Browser.login(node, password: "guess"))
            #expect(node["type"] == (bySamePage ? "continue" : "error") && node["flow"] != nil, "\(node)")
        }
        let last = try Browser.login(node, password: "guess")
        let end = try await browser.next(last)
        #expect(end["type"] == "failure" && end["reason"] == "too-many-refusals")
        #expect(try await browser.next(last) == end)
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(node)) }
        #expect(told(fixture).map(\.description) == ["sign-in failed too-many-refusals", "guessing flow-ended"])
        let page = try AuditPage()
        for line in told(fixture) { #expect(page.knows(line), "\(line.members)") }
        #expect(fixture.log.lines.contains { $0.hasPrefix("warning guessing ") && $0.contains(" name=k1.") })
    }

    @Test(
        "at a journey is seen where AM asks the same again, whatever its step token, its numbers of callbacks, and what it repeats",
        arguments: [(false, false), (true, false), (false, true)])
    func journey(countsOn: Bool, repeats: Bool) async throws {
        try await guess(countsOn, repeats: repeats)
    }

    @Test("at a journey is seen where a field with policies repeats what was entered, and what is wrong with it")
    func journeyWithPolicies() async throws {
        try await guess(false, repeats: true) { number in
            let output = [("value", #""mail-\#(number)""#), ("failedPolicies", #"["{}"]"#), ("prompt", #""Mail""#)]
                .map { #"{"name":"\#($0)","value":\#($1)}"# }.joined(separator: ",")
            return #"{"type":"StringAttributeInputCallback","output":[\#(output)],"#
                + #""input":[{"name":"IDToken3","value":""}]}"#
        }
    }

    @Test("is not what a field with policies does whose values AM checks while a user types")
    func checked() async throws {
        let bench = try ScriptedSignIn()
        let number = Locked(0)
        bench.network.on(.post, ScriptedSignIn.authenticate) { _ in
            let next = number.withLock { number in
                number += 1
                return number
            }
            return .json(
                #"{"authId":"a\#(next)","callbacks":[{"type":"StringAttributeInputCallback","output":["#
                    + #"{"name":"value","value":"mail-\#(next)"},{"name":"failedPolicies","value":["{}"]},"#
                    + #"{"name":"name","value":"mail"},{"name":"prompt","value":"Mail"}],"#
                    + #""input":[{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":false}]}]}"#)
        }
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let browser = Browser(try bench.backend(MemoryStore(time: bench.time), key))
        var node = try await browser.start()
        for check in 0...BFFSettings().refusals {
            node = try await browser.next(
                try Browser.answer(node, json: ["IDToken1": ["value": .string("m\(check)"), "validateOnly": true]]))
        }
        #expect(node["type"] == "continue")
    }

    private func guess(
        _ countsOn: Bool, repeats: Bool, _ field: (@Sendable (Int) -> String)? = nil
    ) async throws {
        let bench = try ScriptedSignIn()
        let (number, seen) = (Locked(0), Locked<[String]>([]))
        bench.network.on(.post, ScriptedSignIn.authenticate) { _ in
            let next = number.withLock { number in
                number += 1
                return number
            }
            func id(_ place: Int) -> String { countsOn ? #","_id":\#(2 * next + place)"# : "" }
            let echo = repeats ? "guess-\(next - 1)" : ""
            return .json(
                #"{"authId":"a\#(next)","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1","value":""}]\#(id(0))},"#
                    + #"{"type":"PasswordCallback","input":[{"name":"IDToken2","value":"\#(echo)"}]\#(id(1))}"#
                    + (field.map { "," + $0(next) } ?? "") + "]}")
        }
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let browser = Browser(try bench.backend(MemoryStore(time: bench.time), key))
        var node = try await browser.start()
        for guess in 0...BFFSettings().refusals {
            #expect(node["type"] == "continue")
            var request = try Browser.answer(node, ["IDToken1": "demo", "IDToken2": "guess-\(guess + 1)"])
            request.countName = { name in
                seen.withLock { $0.append(name) }
                return nil
            }
            node = try await browser.next(request)
        }
        #expect(node["reason"] == "too-many-refusals")
        #expect(seen.withLock { $0 } == [String](repeating: "demo", count: BFFSettings().refusals + 1))
    }

    @Test("is not what a page that is polled does, nor one page after another")
    func polled() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        var node = try await browser.start()
        for _ in 0..<30 {
            fixture.provider.script(.next, .page(FakeProvider.firstPage))
            node = try await browser.next(try Browser.answer(node, [:]))
        }
        for number in 0..<30 {
            fixture.provider.script(.next, .page("Page \(number)"))
            node = try await browser.next(try Browser.answer(node, [number == 0 ? "user" : "code": "x"]))
        }
        #expect(node["type"] == "continue" && told(fixture).isEmpty)
    }

    @Test("in a DaVinci flow is left to PingOne: after a refusal the page can be answered any number of times")
    func davinci() async throws {
        let bench = try DaVinciBench()
        let browser = bench.browser
        var node = try await bench.begin(browser)
        for (answer, type) in [
            (ClientResponse.json(#"{"code":"x","connectorId":"c","message":"No"}"#, status: 400), "error"),
            (.json(ScriptedPingOne.page(signOnFields)), "continue"),
        ] {
            bench.ping.answers(answer)
            for _ in 0...BFFSettings().refusals {
                node = try await bench.next(browser, node, ["username": "u", "password": "guess"])
                #expect(node["type"]?.string == type, "\(node)")
            }
        }
        #expect(bench.log.lines.allSatisfy { AuditLine($0)?.event != "guessing" })
    }

    @Test("with one name is slowed down before the provider hears of it, and the flow stays at its page")
    func names() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        var request = try Browser.login(page, "demo")
        let seen = Locked<[String]>([])
        request.countName = { name in
            seen.withLock { $0.append(name) }
            return .seconds(7)
        }
        await #expect(throws: BFFError.tooManyAttempts(retryAfter: .seconds(7))) { try await browser.next(request) }
        #expect(seen.withLock { $0 } == ["demo"] && fixture.provider.count(.next) == 0)
        #expect(told(fixture).map(\.description) == ["guessing name-limited"])
        let line = try #require(told(fixture).first)
        #expect(try AuditPage().knows(line) && line["name"]?.hasPrefix("k1.") == true)
        var other = try Browser.login(page, " DEMO ")
        other.countName = request.countName
        await #expect(throws: BFFError.tooManyAttempts(retryAfter: .seconds(7))) { try await browser.next(other) }
        #expect(told(fixture).last?["name"] == line["name"], "however it is spelt, as the rate counts it")
        request.countName = { _ in nil }
        #expect(try await browser.next(request)["signedIn"] == true)
    }
}
