import BFF
import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A policy agent's advice")
struct AdviceTests {
    /// A refusal with an advice.
    static func refusal(_ advice: String) -> ClientResponse {
        .challenge(
            401, #"SSOADVICE realm="/",advices="\#(Base64.encode(Array(advice.utf8)))",am_uri="https://am.test""#)
    }

    static func transaction(_ id: String) -> ClientResponse {
        refusal(#"{"TransactionConditionAdvice":["\#(id)"]}"#)
    }

    /// The API lets a call pass whose query has the id of the transaction that it names last, once.
    private func gateway(_ fixture: APIFixture) {
        let number = Locked(0)
        fixture.network.on(.get, Ledger.origin + "/v1/accounts") { request in
            let sent = request.parameters?.all("_txid") ?? []
            return number.withLock { number in
                if number > 0, sent == ["tx-\(number)"] {
                    number += 1000
                    return .json("{}")
                }
                number += 1
                return Self.transaction("tx-\(number)")
            }
        }
    }

    private func query(_ fixture: APIFixture) throws -> String? { try fixture.sent().url.query }

    static let goodAdvice = [
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:Pay"]}"#,
        #"{"AuthenticateToServiceConditionAdvice":["Pay"]}"#,
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:Other","/alpha:Pay"]}"#,
        #"{"AuthLevelConditionAdvice":["0"]}"#,
        #"{"AuthLevelConditionAdvice":["/alpha:0"],"AuthenticateToServiceConditionAdvice":["/alpha:Pay"]}"#,
    ]

    @Test(
        "by journey or level is mapped to the requirement that does it, and runs its client's journey",
        arguments: goodAdvice)
    func mapped(advice: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", Self.refusal(advice))
        let refused = await browser.call(.get, "/api/accounts")
        #expect(refused["stepUp"]?["instance"] == "payment", "\(refused.text)")
        #expect(try await browser.stepUp(refused)["signedIn"] == true)
        let start = try #require(fixture.provider.lastStart)
        #expect(start.advice == nil && start.journey == nil && start.forceAuth && start.acrValues == ["gold"])
    }

    /// A redirect to AM's login, as agents answer that are set up for browsers.
    static func login(_ xml: String, status: Int = 307) -> ClientResponse {
        var query = QueryParameters()
        query.append("goto", "https://elsewhere.example.com/steal")
        query.append("authIndexType", "composite_advice")
        query.append("authIndexValue", xml)
        return .redirect(to: "https://am.test/am/UI/Login?" + query.encoded, status: status)
    }

    static func xml(_ name: String, _ value: String) -> String {
        "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair></Advices>"
    }

    @Test("in the redirect to a login page begins the same loop", arguments: [302, 303, 307])
    func redirected(status: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        let xml = Self.xml("TransactionConditionAdvice", "tx-1")
        for value in [xml, Base64URL.encode(Array(xml.utf8))] {
            fixture.answering(.get, "/v1/accounts", Self.login(value, status: status))
            let asked = await browser.call(.get, "/api/accounts?view=full")
            #expect(asked.problem == "step-up-required" && asked["stepUp"]?["instance"] == "payment", "\(asked.text)")
            #expect(!asked.text.contains("tx-1") && !asked.text.contains("elsewhere"))
            #expect(try await browser.stepUp(asked)["signedIn"] == false)
            #expect(fixture.provider.lastStart?.advice == #"{"TransactionConditionAdvice":["tx-1"]}"#)
            fixture.answering(.get, "/v1/accounts", .json("{}"))
            #expect(await browser.call(.get, "/api/accounts?view=full").status == 200)
            #expect(try query(fixture) == "view=full&_txid=tx-1")
        }
    }

    @Test("in a redirect that no configured step-up is known to follow is not followed")
    func redirectedElsewhere() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", Self.login(Self.xml("AuthLevelConditionAdvice", "7")))
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-unavailable")
        // What is no advice is a redirect out of the route, as any other.
        for answer in [
            Self.login(Self.xml("AuthLevelConditionAdvice", "&e;")),
            Self.login(Self.xml("AuthLevelConditionAdvice", "0"), status: 308),
        ] {
            fixture.answering(.get, "/v1/accounts", answer)
            #expect(await browser.call(.get, "/api/accounts").problem == "upstream-failed")
        }
    }

    static let badAdvice = [
        // A journey and a level that no requirement stands for.
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:Other"]}"#, #"{"AuthLevelConditionAdvice":["7"]}"#,
        #"{"AuthLevelConditionAdvice":["7"],"TransactionConditionAdvice":["t"]}"#,
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:Other"],"TransactionConditionAdvice":["t"]}"#,
        // Demands that are not known, alone and beside others.
        #"{"AuthSchemeConditionAdvice":["/alpha:LDAP"]}"#, #"{"AuthenticateToRealmConditionAdvice":["/alpha"]}"#,
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:Pay"],"AuthSchemeConditionAdvice":["LDAP"]}"#,
        // Values that mean nothing.
        #"{"AuthLevelConditionAdvice":["high"]}"#, #"{"AuthLevelConditionAdvice":["0","high"]}"#,
        #"{"AuthLevelConditionAdvice":[0]}"#, #"{"AuthLevelConditionAdvice":[]}"#, "{}",
        #"{"AuthenticateToServiceConditionAdvice":["/alpha:"]}"#,
        #"{"TransactionConditionAdvice":[""]}"#, #"{"TransactionConditionAdvice":["a","b"]}"#,
        #"{"TransactionConditionAdvice":["a b"]}"#, #"{"TransactionConditionAdvice":["a&_txid=b"]}"#,
        #"{"TransactionConditionAdvice":["a<Value>"]}"#, #"{"TransactionConditionAdvice":["ä"]}"#,
        #"{"TransactionConditionAdvice":["\#(String(repeating: "a", count: 129))"]}"#,
        #"{"TransactionConditionAdvice":"t"}"#,
    ]

    @Test("that no configured step-up is known to follow is not followed", arguments: badAdvice)
    func unmapped(advice: String) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", Self.refusal(advice))
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-unavailable")
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("to authorise a transaction is followed as it came, and its id goes out with the same call, once")
    func transactionLoop() async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        let asked = await browser.call(.get, "/api/accounts?view=full")
        #expect(asked.problem == "step-up-required" && asked["stepUp"]?["instance"] == "payment", "\(asked.text)")
        #expect(!asked.text.contains("tx-1"))
        #expect(try await browser.stepUp(asked)["signedIn"] == false)
        let start = try #require(fixture.provider.lastStart)
        #expect(start.advice == #"{"TransactionConditionAdvice":["tx-1"]}"#)
        #expect(start.forceAuth && !start.noSession && start.parameters.isEmpty)
        // Another call of the route does not carry it, and does not use it up, whether it passes or not.
        fixture.answering(.delete, "/v1/accounts", .json("{}"))
        #expect(await browser.call(.delete, "/api/accounts?a=1").status == 200)
        #expect(try query(fixture) == "a=1")
        fixture.answering(.get, "/v1/accounts/9", Self.transaction("other"))
        #expect(await browser.call(.get, "/api/accounts/9").problem == "step-up-required")
        #expect(try query(fixture) == nil)
        fixture.answering(.get, "/v1/accounts/8", .json("{}"))
        #expect(await browser.call(.get, "/api/accounts/8").status == 200)
        #expect(try query(fixture) == nil)
        #expect(await browser.call(.get, "/api/accounts?_txid=forged&view=full&%5Ftxid=x").status == 200)
        #expect(try query(fixture) == "view=full&_txid=tx-1")
        _ = await browser.call(.get, "/api/accounts")
        #expect(try query(fixture) == nil)
    }

    @Test(
        "to authorise a transaction marks nothing as elevated, whatever the provider did: session and tokens stay",
        arguments: [0, -3600])
    func marksNothing(shift: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        let asked = await browser.call(.get, "/api/accounts")
        let standard = try fixture.sent().fields[.authorization]
        fixture.provider.authTimeShift = .seconds(shift)
        fixture.provider.authLevel = 9
        let (grants, sessions) = (fixture.provider.grants, fixture.provider.sessions)
        let end = try await browser.stepUp(asked)
        #expect(end["type"] == "success" && end["signedIn"] == false, "\(end.text)")
        #expect(fixture.provider.grants == grants && fixture.provider.sessions == sessions)
        #expect(await browser.call(.get, "/bff/payment/user").status == 401)
        #expect(await browser.call(.get, "/api/accounts").status == 200)
        #expect(try fixture.sent().fields[.authorization] == standard && query(fixture) == "_txid=tx-1")
    }

    @Test("to authorise a transaction is not followed by another user")
    func otherUser() async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        let asked = await browser.call(.get, "/api/accounts")
        for shift in [0, -3600] {
            fixture.provider.authTimeShift = .seconds(shift)
            #expect(try await browser.stepUp(asked, user: "mallory")["reason"] == "account-mismatch")
        }
        _ = await browser.call(.get, "/api/accounts")
        #expect(try query(fixture) == nil)
    }

    @Test("to authorise a transaction is for the user whose call asked, and for no other who has signed in since")
    func otherUserSince() async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        let asked = await browser.call(.get, "/api/accounts")
        #expect(try await browser.stepUp(asked)["signedIn"] == false)
        let page = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true,"replace":true}"#)
        let end = await browser.call(
            .post, "/bff/standard/next", try browser.answers(page, user: "mallory", password: FakeProvider.password))
        #expect(end["signedIn"] == true, "\(end.text)")
        _ = await browser.call(.get, "/api/accounts")
        #expect(try query(fixture) == nil)
    }

    @Test("for a call of another user is followed by nobody else")
    func otherUserBefore() async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        let asked = await browser.call(.get, "/api/accounts")
        let goal = try #require(asked["stepUp"]?["for"]?.string)
        let page = await browser.call(.post, "/bff/standard/start", #"{"forceAuth":true,"replace":true}"#)
        let end = await browser.call(
            .post, "/bff/standard/next", try browser.answers(page, user: "mallory", password: FakeProvider.password))
        #expect(end["signedIn"] == true, "\(end.text)")
        let start = await browser.call(.post, "/bff/payment/start", #"{"for":"\#(goal)"}"#)
        #expect(start.status == 422 && start.problem == "not-allowed", "\(start.text)")
        #expect(fixture.provider.lastStart?.advice == nil)
        _ = await browser.call(.get, "/api/accounts")
        #expect(try query(fixture) == nil)
    }

    @Test("for one call authorises no other call of the same route")
    func otherCall() async throws {
        let (fixture, browser) = try await Ledger.usual()
        let number = Locked(0)
        fixture.network.on(.post, Ledger.origin + "/v1/accounts") { _ in
            Self.transaction("tx-\(number.withLock { number in number += 1; return number })")
        }
        let first = await browser.call(.post, "/api/accounts", #"{"amount":100}"#)
        let second = await browser.call(.post, "/api/accounts", #"{"amount":10000}"#)
        let goals = try [first, second].map { try #require($0["stepUp"]?["for"]?.string) }
        #expect(goals[0] != goals[1])
        let start = await browser.call(.post, "/bff/payment/start", #"{"for":"\#(goals[0])"}"#)
        #expect(start.status == 422 && start.problem == "not-allowed", "\(start.text)")
        #expect(try await browser.stepUp(second)["signedIn"] == false)
        #expect(fixture.provider.lastStart?.advice == #"{"TransactionConditionAdvice":["tx-2"]}"#)
    }

    @Test("to authorise a transaction again and again takes no room; the last one counts, and not for ever")
    func lastOne() async throws {
        let (fixture, browser) = try await Ledger.usual()
        gateway(fixture)
        var goals: Set<String> = []
        var asked = await browser.call(.get, "/api/accounts")
        for _ in 0..<4 {
            goals.insert(try #require(asked["stepUp"]?["for"]?.string))
            asked = await browser.call(.get, "/api/accounts")
        }
        #expect(goals.count == 1)
        #expect(try await browser.stepUp(asked)["signedIn"] == false)
        #expect(fixture.provider.lastStart?.advice == #"{"TransactionConditionAdvice":["tx-5"]}"#)
        fixture.time.advance(by: .seconds(300))
        _ = await browser.call(.get, "/api/accounts")
        #expect(try query(fixture) == nil)
    }

    @Test("that never helps ends after two rounds, also when no round brings a token", arguments: [0, -3600])
    func loopGuard(shift: Int) async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", Self.transaction("tx"))
        for _ in 0..<2 {
            let asked = await browser.call(.get, "/api/accounts")
            #expect(asked.problem == "step-up-required")
            fixture.provider.authTimeShift = .seconds(shift)
            #expect(try await browser.stepUp(asked)["type"] == "success")
            fixture.provider.authTimeShift = .zero
        }
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-failed")
        #expect(try query(fixture) == "_txid=tx")
        // What was of no use is not sent again.
        #expect(await browser.call(.get, "/api/accounts").problem == "step-up-failed")
        #expect(try query(fixture) == nil)
    }

    @Test("to authorise a transaction is for the same query and body, and no other")
    func sameCall() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.post, "/v1/accounts", Self.transaction("tx"))
        let asked = await browser.call(.post, "/api/accounts?to=a", #"{"amount":1}"#)
        #expect(try await browser.stepUp(asked)["type"] == "success")
        fixture.answering(.post, "/v1/accounts", .json("{}"))
        for (target, body) in [
            ("?to=b", #"{"amount":1}"#), ("?to=a", #"{"amount":1000}"#), ("", #"{"amount":1}"#),
            ("?to=a&to=b", #"{"amount":1}"#), ("?to=a", nil),
        ] {
            #expect(await browser.call(.post, "/api/accounts" + target, body).status == 200)
            #expect(try query(fixture)?.contains("_txid") != true, "\(target)")
        }
        #expect(await browser.call(.post, "/api/accounts?to=a", #"{"amount":1}"#).status == 200)
        #expect(try query(fixture) == "to=a&_txid=tx")
        #expect(await browser.call(.post, "/api/accounts?to=a", #"{"amount":1}"#).status == 200)
        #expect(try query(fixture) == "to=a")
    }

    @Test("cannot be brought in a query, however it is spelt")
    func foreignTransaction() async throws {
        let (fixture, browser) = try await Ledger.usual()
        fixture.answering(.get, "/v1/accounts", .json("{}"))
        let queries: [(String, String?)] = [
            ("_txid=x", nil), ("a=1&_txid=x&b=2", "a=1&b=2"), ("%5Ftxid=x", nil), ("_txi%64", nil),
            ("a=1;_txid=x&b", "b"),
            ("_txid=x&_txid=y&c", "c"), ("a=_txid&&b", "a=_txid&&b"), ("_TXID=x", "_TXID=x"),
        ]
        for (sent, received) in queries {
            #expect(await browser.call(.get, "/api/accounts?" + sent).status == 200)
            #expect(try query(fixture) == received, "\(sent)")
        }
    }

    @Test("cannot be brought by a browser")
    func madeUp() async throws {
        let (fixture, browser) = try await Ledger.usual()
        for body in [
            #"{"advice":{"TransactionConditionAdvice":["t"]}}"#, #"{"for":"pay","advice":"t"}"#,
            #"{"parameters":{"authIndexType":"composite_advice","authIndexValue":"<Advices/>"}}"#,
            #"{"journey":"<Advices/>"}"#,
        ] {
            #expect(await browser.call(.post, "/bff/payment/start", body).problem != nil)
        }
        #expect(fixture.provider.count(.start) == 1)
    }
}
