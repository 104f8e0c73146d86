import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("A journey as the SDK for iOS spells it")
struct SDKSpellingTests {
    private let am: ScriptedAM
    private let session = MemoryStorage<SSOSession>()
    private let tokens = MemoryStorage<TokenSet>()

    init() throws { am = try ScriptedAM() }

    private func journey(_ configure: (inout JourneyConfig) -> Void = { _ in }) throws -> Journey {
        try am.journey {
            $0.module(JourneyModules.session) { $0.storage = session }
            configure(&$0)
        }
    }

    @Test func `has an OAuth client that finds its provider by the journey's realm`() async throws {
        am.steps(success("s1"))
        let journey = try journey {
            $0.oidc { oidc in
                oidc.clientID = "bff"
                oidc.authentication = .basic(Secret("s3cret"))
                oidc.scopes = ["openid", "profile"]
                oidc.redirectURI = "https://app.example.com/bff/code"
                oidc.storage = tokens
            }
        }
        _ = try await journey.bound().start("Login")
        #expect(am.sent(ScriptedAM.oauth + "/.well-known/openid-configuration").count == 1)
        #expect(try await tokens.get()?.accessToken.reveal() == "at-1")
        #expect(try await session.get()?.value.reveal() == "s1")
        #expect(try await journey.bound().journeyUser()?.token().accessToken.reveal() == "at-1")
    }

    @Test(arguments: ["clientID", "redirectURI", "scopes", "discovery", "storage"])
    func `is not built with half an OAuth client`(member: String) throws {
        let error = #expect(throws: JourneyConfigurationError.self) {
            try journey {
                $0.oidc { oidc in
                    if member != "clientID" { oidc.clientID = "bff" }
                    if member != "redirectURI" { oidc.redirectURI = "https://app.example.com/bff/code" }
                    if member == "scopes" { oidc.scopes = ["profile"] }
                    if member != "storage" { oidc.storage = tokens }
                    if member == "discovery" { oidc.discovery = "no address" }
                }
            }
        }
        guard case .oidc(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.hasPrefix(member))
    }

    @Test func `has a user who signs off without any OAuth client`() async throws {
        am.steps(success("s1"))
        let bound = try journey().bound()
        #expect(try await bound.journeyUser() == nil)
        _ = try await bound.start("Login")
        let user = try #require(try await bound.journeyUser())
        for call in [user.token, user.refresh] {
            await #expect(throws: JourneyTokenError.provider(.configuration("the journey has no OIDC client"))) {
                _ = try await call()
            }
        }
        await #expect(throws: JourneyTokenError.self) { try await user.revoke() }
        await #expect(throws: JourneyTokenError.self) { try await user.userinfo() }
        let report = await user.logout()
        #expect(report.isComplete)
        #expect(am.sent(ScriptedAM.sessions).last?.header(ScriptedAM.cookieName) == "s1")
        #expect(try await session.get() == nil)
    }

    @Test func `says of its session where AM would go, without a cast`() async throws {
        am.steps(success("s1"))
        let step = try await journey().bound().start("Login")
        #expect(step.success?.session.successURL == "/enduser/?realm=/alpha")
        #expect(step.success?.session.realm == "/alpha")
        #expect(EmptySession().successURL.isEmpty && EmptySession().realm.isEmpty)
    }

    @Test func `has the raw answer of every node but a failure`() async throws {
        let refusal = #"{"code":401,"reason":"Unauthorized","message":"no","detail":{"a":1}}"#
        am.steps(success("s1"), #"{"authId":"a","callbacks":[],"own":1}"#)
        let bound = try journey().bound()
        #expect(try await bound.start("Login").node.input?["tokenId"] == "s1")
        #expect(try await bound.start("Login").node.input?["own"] == 1)
        let node = try await started(by: .json(refusal, status: 401))
        #expect(try node.input == JSONValue(parsing: refusal))
        #expect(try await started(by: .html("bad gateway", status: 502)).input == nil)
    }

    private func started(by answer: ClientResponse) async throws -> Node {
        let am = try ScriptedAM()
        am.network.on(.post, ScriptedAM.authenticate, answering: answer)
        return try await am.journey().bound().start("Login").node
    }

    @Test func `keeps a caller's session in the caller's own store`() async throws {
        am.steps(success("s1"))
        let desk = Desk()
        _ = try await journey().bound(to: desk.caller()).start("Login")
        #expect(try await desk.session.get()?.value.reveal() == "s1")
        #expect(try await session.get() == nil)
    }

    @Test func `takes typed answers to the callbacks of a page`() async throws {
        am.steps(loginPage, success("s1"))
        let bound = try journey().bound()
        let step = try await bound.start("Login")
        var answers = Answers()
        for callback in try #require(step.page).callbacks {
            switch callback {
            case let name as NameCallback: answers[name] = "demo"
            case let password as PasswordCallback: answers[password] = "Ch4ng3it!"
            default: Issue.record("\(callback)")
            }
        }
        #expect(answers.values == ["IDToken1": "demo", "IDToken2": "Ch4ng3it!"])
        #expect(try await bound.next(step.flow, answers).success?.isSignedIn == true)
    }
}

@Suite("A typed answer")
struct TypedAnswerTests {
    private func answered<Callback: AnsweredCallback>(
        _ callback: String, _ type: Callback.Type, _ answer: Callback.Answer
    ) throws -> JSONValue? where Callback.Answer: Equatable {
        let page = try page(callback)
        let callback = try #require(page.callbacks.first as? Callback)
        var answers = Answers()
        #expect(answers[callback] == nil)
        answers[callback] = answer
        #expect(answers[callback] == answer)
        #expect(page.validate(answers) == [])
        let value = answers.values[callback.id]
        answers[callback] = nil
        #expect(answers.values.isEmpty)
        return value
    }

    @Test func `is the text or the number that the page takes`() throws {
        let choices = output("choices", #"["a","b"]"#)
        #expect(try answered(callback("TextInputCallback"), TextInputCallback.self, "x") == "x")
        #expect(try answered(callback("HiddenValueCallback"), HiddenValueCallback.self, "x") == "x")
        #expect(try answered(callback("ChoiceCallback", choices), ChoiceCallback.self, 1) == 1)
        let confirm = callback("ConfirmationCallback", output("optionType", "0"))
        #expect(try answered(confirm, ConfirmationCallback.self, 1) == 1)
    }

    @Test func `stands in an object where the server can check without going on`() throws {
        let flag = #","input":[{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":false}]}"#
        func both(_ type: String) -> [String] {
            [callback(type), #"{"type":"\#(type)","output":[]"# + flag]
        }
        let names = try both("ValidatedCreateUsernameCallback").map {
            try answered($0, ValidatedCreateUsernameCallback.self, "demo")
        }
        #expect(names == ["demo", ["value": "demo"]])
        let passwords = try both("ValidatedCreatePasswordCallback").map {
            try answered($0, ValidatedCreatePasswordCallback.self, "p")
        }
        #expect(passwords == ["p", ["value": "p"]])
        let numbers = try both("NumberAttributeInputCallback").map {
            try answered($0, NumberAttributeInputCallback.self, 2.5)
        }
        let number = try JSONValue(parsing: "2.5")
        #expect(numbers == [number, ["value": number]])
    }

    @Test(arguments: CallbackCatalogue.standard.wireTypes)
    func `is there for every type that takes one`(type: String) throws {
        let callback = try #require(try page(callback(type, output("choices", #"["a"]"#))).callbacks.first)
        #expect(callback.answerSchema == nil || callback is any AnsweredCallback)
    }
}
