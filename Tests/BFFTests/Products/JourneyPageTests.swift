import BFF
import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@Suite("A page of a journey, on its way to the browser,")
struct JourneyPageTests {
    private func browser(_ bench: ScriptedSignIn, page: JSONValue) throws -> Browser {
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(page.text))
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        return Browser(try bench.backend(MemoryStore(time: bench.time), key))
    }

    @Test("has the texts of its stage in the language that the flow began with")
    func texts() async throws {
        let stage = #"{"submitButtonText":{"de":"Los","en":"Go"}}"#
        let page: JSONValue = ["authId": "a", "stage": .string(stage), "callbacks": []]
        let node = try await browser(try ScriptedSignIn(), page: page).start()
        #expect(node["texts"] == ["submitButtonText": "Go"])
        #expect(node["stage"] == .string(stage))
    }

    @Test("has its user name counted also where the answer is an object, as for a server that checks first")
    func names() async throws {
        let page = try JSONValue(
            parsing:
                #"{"authId":"a","callbacks":[{"type":"ValidatedCreateUsernameCallback","input":[{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":false}]},{"type":"PasswordCallback","input":[{"name":"IDToken2","value":""}]}]}"#
        )
        let browser = try browser(try ScriptedSignIn(), page: page)
        let node = try await browser.start()
        let seen = Locked<[String]>([])
        var request = try Browser.answer(node, ["IDToken2": "guess"])
        request.answers = PageAnswers(values: ["IDToken1": ["value": "demo"], "IDToken2": "guess"])
        request.countName = { name in
            seen.withLock { $0.append(name) }
            return nil
        }
        _ = try await browser.next(request)
        #expect(seen.withLock { $0 } == ["demo"])
    }
}
