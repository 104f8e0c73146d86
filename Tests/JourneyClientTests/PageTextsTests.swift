import JSON
import JourneyClient
import Orchestrate
import TestSupport
import Testing

@Suite("A stage that is a JSON object")
struct PageTextsTests {
    private func page(_ stage: String) throws -> JourneyPage {
        let step: JSONObject = ["authId": "a", "stage": .string(stage), "callbacks": []]
        return try JourneyPage(.object(step))
    }

    private static let two = #"{"submitButtonText":{"en":"Go","fr":"Aller","en_gb":"Off","de-at":"Servus"},"theme":5}"#

    @Test(arguments: [
        ([], "Go"), (["fr"], "Aller"), (["fr-CA"], "Aller"), (["en-GB"], "Off"), (["de-AT"], "Servus"),
        (["it", "fr"], "Aller"), (["it"], "Go"),
    ])
    func `says its texts in the language of the flow`(languages: [String], text: String) throws {
        let document = try page(Self.two).document(in: languages)
        #expect(document["texts"]?.text == #"{"submitButtonText":"\#(text)"}"#)
        #expect(document["stage"]?.string == Self.two)
        let texts = try #require(document["texts"])
        #expect(try ContractFile.browsers.get().faults(in: texts, as: "PageTexts") == [])
    }

    @Test func `says the only text whatever the language`() throws {
        let one = #"{"submitButtonText":{"fr":"Aller"},"pageFooter":{"en":"Help?"}}"#
        #expect(
            try page(one).document(in: ["de"])["texts"]?.text == #"{"submitButtonText":"Aller","pageFooter":"Help?"}"#)
        let plain = try page(#"{"pageFooter":"Help?"}"#).document(in: ["de"])
        #expect(plain["texts"] == ["pageFooter": "Help?"])
    }

    @Test(arguments: [
        "Login", "{", "[]", "{}", #"{"submitButtonText":5}"#, #"{"submitButtonText":{"en":5}}"#, #""{}""#,
    ])
    func `says none where it has none`(stage: String) throws {
        #expect(try page(stage).document(in: ["en"])["texts"] == nil)
    }
}

@Suite("A policy that was not met")
struct FailedPolicyTests {
    @Test(arguments: [
        (FailedPolicy(requirement: "REQUIRED"), "A value is required."),
        (
            FailedPolicy(requirement: "LENGTH_BASED", params: ["min-password-length": 8, "max-password-length": "64"]),
            "The value needs from 8 to 64 characters."
        ),
        (FailedPolicy(requirement: "MIN_ITEMS"), "The requirement MIN_ITEMS is not met."),
        (FailedPolicy(requirement: "AT_LEAST_X_NUMBERS", params: ["numNums": 2]), "The value needs 2 digits or more."),
        (
            FailedPolicy(requirement: "CANNOT_CONTAIN_CHARACTERS", params: ["forbiddenChars": ["/", "%"]]),
            "The value must not contain: / %"
        ), (FailedPolicy(requirement: "CUSTOM"), "The requirement CUSTOM is not met."),
    ])
    func `is said in English`(policy: FailedPolicy, message: String) {
        #expect(policy.message == message)
        #expect(policy.document["message"] == .string(message))
        #expect(policy.document["params"] == .object(policy.params))
    }
}
