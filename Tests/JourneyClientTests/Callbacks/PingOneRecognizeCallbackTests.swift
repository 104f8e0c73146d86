import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A PingOneRecognizeCallback")
struct PingOneRecognizeCallbackTests {
    private static let inputs = [
        "IDToken1signedJwt", "IDToken1clientState", "IDToken1recognizeId", "IDToken1devicePublicSigningKey",
        "IDToken1clientError", "IDToken1clientErrorCode",
    ]

    private static func recognition(_ outputs: String..., inputs: [String] = inputs) -> String {
        callback("PingOneRecognizeCallback", outputs, inputs: inputs)
    }

    @Test func `shows what the program in the page needs, and keeps the rest here`() throws {
        let text = try shown(
            Self.recognition(
                output("operationType", #""ENROLL""#), output("authenticationServiceUrl", #""wss://r""#),
                output("customerName", #""c""#), output("username", #""u""#), output("transactionData", #""t""#),
                output("audience", #""a""#), output("webSDKOptions", #"{"a":1}"#),
                output("mobileSDKOptions", #"{"canary":1}"#), output("host", #""canary""#),
                output("apiKey", #""canary""#), output("imageEncryptionPublicKey", #""canary""#),
                output("imageEncryptionKeyId", #""canary""#), output("generateClientState", #""true""#),
                output("clientState", #""s""#)))
        #expect(
            text
                == #"{"id":"IDToken1signedJwt","type":"PingOneRecognizeCallback","operationType":"ENROLL","authenticationServiceUrl":"wss://r","customerName":"c","username":"u","transactionData":"t","audience":"a","webSDKOptions":{"a":1},"generateClientState":true,"clientState":"s","answer":{"type":"object","properties":{"signedJwt":{"type":"string","maxLength":65536},"recognizeId":{"type":"string","maxLength":8192},"clientState":{"type":"string","maxLength":65536},"clientError":{"type":"string","maxLength":8192},"clientErrorCode":{"type":"string","maxLength":8192}},"additionalProperties":false,"anyOf":[{"required":["signedJwt","recognizeId"]},{"required":["clientError"]}],"hidden":true}}"#
        )
    }

    @Test func `authenticates unless told to enrol, at the address that an older server says`() throws {
        let document = try JSONValue(
            parsing: shown(
                Self.recognition(output("operationType", #""OTHER""#), output("websocketURL", #""wss://old""#))))
        #expect(document["operationType"] == "AUTHENTICATE")
        #expect(document["authenticationServiceUrl"] == "wss://old")
        #expect(document["generateClientState"] == false && document["webSDKOptions"] == [:])
    }

    @Test func `takes what was found or why nothing was, each in the input whose name ends so`() throws {
        let found: JSONValue = ["signedJwt": "j", "recognizeId": "r", "clientState": "s"]
        #expect(try sent(Self.recognition(), found) == #"["j","s","r","","",""]"#)
        let failed: JSONValue = ["clientError": "e", "clientErrorCode": "7"]
        #expect(try sent(Self.recognition(), failed) == #"["","","","","e","7"]"#)
        let older = Self.recognition(inputs: ["IDToken1signedJwt", "IDToken1keylessId"])
        #expect(try sent(older, found) == #"["j","r"]"#)
    }

    @Test func `takes neither half, but an authentication gives the token alone`() throws {
        let enrolment = Self.recognition(output("operationType", #""ENROLL""#))
        for answer: JSONValue in [[:], ["recognizeId": "r"], ["clientErrorCode": "7"]] {
            #expect(try faults(Self.recognition(), answer) == [.required])
            #expect(try faults(enrolment, answer) == [.required])
        }
        #expect(try faults(enrolment, ["signedJwt": "j"]) == [.required])
        #expect(try faults(Self.recognition(), ["signedJwt": "j"]).isEmpty)
        #expect(try sent(Self.recognition(), ["signedJwt": "j"]) == #"["j","","","","",""]"#)
        #expect(try faults(Self.recognition(), ["clientError": 5]) == [.wrongType])
        #expect(try faults(Self.recognition(), ["devicePublicSigningKey": "k"]) == [.wrongType, .required])
    }
}
