import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A wish for a credential of the browser")
struct WebAuthnTests {
    private static func metadata(_ data: String) -> String {
        callback("MetadataCallback", output("data", data), input: nil)
    }

    private static func hidden(_ id: String = "webAuthnOutcome", _ name: String = "IDToken2") -> String {
        callback("HiddenValueCallback", output("id", #""\#(id)""#), input: #""\#(id)""#)
            .replacing("IDToken1", with: name)
    }

    private static func registration(_ more: String = "") -> String {
        metadata(#"{"_action":"webauthn_registration","challenge":"AQID","userId":"dTE=","userName":"u1"\#(more)}"#)
    }

    private static func authentication(_ more: String = "") -> String {
        metadata(#"{"_action":"webauthn_authentication","challenge":"AQID"\#(more)}"#)
    }

    private func publicKey(_ callback: String) throws -> JSONValue? {
        try page(callback, Self.hidden()).questions[0].members["publicKey"]
    }

    private func sent(_ callback: String, _ answer: JSONValue) throws -> JSONValue? {
        let page = try page(callback, Self.hidden())
        return try filled(page, answer)["callbacks"]?[1]?["input"]?[0]?["value"]
    }

    @Test func `has the defaults of a page that says little`() throws {
        #expect(
            try publicKey(Self.registration())?.text
                == #"{"rp":{"name":""},"user":{"id":"ZFRFPQ","name":"u1","displayName":"u1"},"challenge":"AQID","pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"excludeCredentials":[],"authenticatorSelection":{"userVerification":"preferred"},"attestation":"none","timeout":60000}"#
        )
        #expect(
            try publicKey(Self.authentication())?.text
                == #"{"challenge":"AQID","allowCredentials":[],"userVerification":"preferred","timeout":60000}"#)
    }

    @Test func `reads members with an underscore first, and scripts where there are none`() throws {
        let both = Self.registration(
            #","_relyingPartyId":"a.example","relyingPartyId":"id: \"b.example\",","_pubKeyCredParams":[{"type":"public-key","alg":"-8"}],"pubKeyCredParams":"[{\"alg\":-7}]","_authenticatorSelection":{"userVerification":"required","x":1},"authenticatorSelection":"{}","_excludeCredentials":[{"id":[-1,256,"x"]},{"id":[1]},{"id":[]},5],"excludeCredentials":"new Int8Array([2])","timeout":90000,"displayName":"U","attestationPreference":"direct","relyingPartyName":"R","extensions":{"credProps":true}"#
        )
        let options = try publicKey(both)
        #expect(options?["rp"] == ["name": "R", "id": "a.example"] && options?["attestation"] == "direct")
        #expect(options?["pubKeyCredParams"] == [["type": "public-key", "alg": -8]])
        #expect(options?["authenticatorSelection"] == ["userVerification": "required", "x": 1])
        #expect(options?["excludeCredentials"] == [["type": "public-key", "id": "AQ"]])
        #expect(options?["timeout"] == 90_000 && options?["extensions"] == ["credProps": true])
        let scripts = Self.registration(
            #","relyingPartyId":"id: \"b.example\",","pubKeyCredParams":"[{\"alg\":-257}]","authenticatorSelection":"{\"residentKey\":\"required\"}","excludeCredentials":"{ \"type\": \"public-key\", \"id\": new Int8Array([1, -101]) }, { \"id\": new Int8Array([ 2 ]) }","timeout":"-1""#
        )
        let read = try publicKey(scripts)
        #expect(read?["rp"]?["id"] == "b.example" && read?["timeout"] == 60_000)
        #expect(read?["pubKeyCredParams"]?[0]?["alg"] == -257)
        #expect(read?["authenticatorSelection"] == ["residentKey": "required", "userVerification": "preferred"])
        #expect(read?["excludeCredentials"]?.array?.compactMap { $0["id"]?.string } == ["AZs", "Ag"])
        #expect(try publicKey(Self.authentication(#","relyingPartyId":"plain.example""#))?["rpId"] == "plain.example")
    }

    /// The bytes of a page of AM 7.1.
    @Test func `has the bytes of a real page`() throws {
        let excluded = #"[{"type":"public-key","id":[1,-101,-34,-80,-105,-6,43,-52]}]"#
        let options = try publicKey(
            Self.metadata(
                #"{"_action":"webauthn_registration","challenge":"X5OsmgG2We2Xgir575Grt19hwXoC9m7Jth6UxWOrEYE=","userId":"ZTI0ZjBkN2MtYTlkNS00YTNmLWEwMDItNmY4MDgyMTBhOGEz","_excludeCredentials":\#(excluded)}"#
            ))
        #expect(options?["challenge"] == "X5OsmgG2We2Xgir575Grt19hwXoC9m7Jth6UxWOrEYE")
        #expect(options?["excludeCredentials"]?[0]?["id"] == "AZvesJf6K8w")
        #expect(options?["user"]?["id"] == "WlRJMFpqQmtOMk10WVRsa05TMDBZVE5tTFdFd01ESXRObVk0TURneU1UQmhPR0V6")
        let plus = try publicKey(
            Self.authentication(#","challenge":"+/+/""#).replacing(#""challenge":"AQID","#, with: ""))
        #expect(plus?["challenge"] == "-_-_")
    }

    @Test(arguments: [
        (#"{"_type":"WebAuthn","challenge":"AQID","_pubKeyCredParams":[]}"#, "webauthn_registration"),
        (#"{"_type":"WebAuthn","challenge":"AQID","pubKeyCredParams":""}"#, "webauthn_registration"),
        (#"{"_type":"WebAuthn","challenge":"AQID","_allowCredentials":[]}"#, "webauthn_authentication"),
        (#"{"_type":"WebAuthn","challenge":"AQID","allowCredentials":""}"#, "webauthn_authentication"),
        (#"{"_action":"webauthn_authentication","challenge":"AQID","pubKeyCredParams":""}"#, "webauthn_authentication"),
    ])
    func `is told by its action, else by its type and members`(data: String, kind: String) throws {
        #expect(try page(Self.metadata(data)).questions[0].members["specialised"] == .string(kind))
    }

    @Test func `reads lists that are no text, and what AM 6.5 sends without a type`() throws {
        let registration = Self.metadata(
            #"{"challenge":"AQID","relyingPartyId":"id: \"a.example\",","pubKeyCredParams":[{"type":"public-key","alg":-257}],"excludeCredentials":[{"type":"public-key","id":[1,-101]}],"userId":"u"}"#
        )
        let options = try publicKey(registration)
        #expect(options?["pubKeyCredParams"] == [["type": "public-key", "alg": -257]])
        #expect(options?["excludeCredentials"] == [["type": "public-key", "id": "AZs"]])
        #expect(options?["rp"]?["id"] == "a.example")
        for list in [#"[{"id":[1,-101]}]"#, #""{ \"id\": new Int8Array([1, -101]) }""#] {
            for name in ["acceptableCredentials", "allowCredentials"] {
                let authentication = Self.metadata(
                    #"{"challenge":"AQID","relyingPartyId":"","\#(name)":\#(list)}"#)
                let asked = try page(authentication, Self.hidden()).questions[0].members
                #expect(asked["specialised"] == "webauthn_authentication")
                #expect(asked["publicKey"]?["allowCredentials"] == [["type": "public-key", "id": "AZs"]])
            }
        }
    }

    @Test(arguments: [
        #"{"challenge":"AQID","pubKeyCredParams":[]}"#, #"{"challenge":"AQID","relyingPartyId":""}"#,
        #"{"_type":"WebAuthn","challenge":"AQID"}"#, #"{"_type":"Other","challenge":"AQID","pubKeyCredParams":""}"#,
        #"{"_action":"webauthn_registration"}"#, #"{"_action":"webauthn_registration","challenge":"?"}"#,
        #"{"_action":"webauthn_registration","challenge":""}"#, #"{"_action":"webauthn_registration","challenge":[1]}"#,
    ])
    func `is data and no more where nobody could answer it`(data: String) throws {
        let page = try page(Self.metadata(data), Self.hidden())
        #expect(page.questions.map(\.id) == ["MetadataCallback-0", "IDToken2"])
        #expect(page.questions[0].members["specialised"] == nil && page.questions[0].answer == nil)
    }

    @Test func `takes the hidden value beside it out of the questions`() throws {
        let page = try page(
            Self.hidden("other", "IDToken1"), Self.authentication(), Self.hidden("webAuthnOutcome", "IDToken1"))
        #expect(page.questions.map(\.id) == ["HiddenValueCallback-0", "MetadataCallback-1"])
        let body = try page.body(answering: Answers(["MetadataCallback-1": ["unsupported": true]]))
        #expect((body["callbacks"]?.array ?? []).map { $0["input"]?[0]?["value"] } == ["other", nil, "unsupported"])
        #expect(try page.body(answering: Answers()).text == JSONValue.object(page.step).text)
        #expect(page.validate(Answers(["HiddenValueCallback-2": "x"])).map(\.code) == [.unknownQuestion])
    }

    @Test func `is shown as the contract says`() throws {
        for callback in [Self.registration(), Self.authentication(#","mediation":"conditional""#)] {
            _ = try shown(callback)
        }
        let conditional = try page(Self.authentication(#","mediation":"conditional""#)).questions[0]
        #expect(conditional.members["mediation"] == "conditional" && conditional.answer?["autocomplete"] == "webauthn")
        #expect(conditional.answer?["default"] == nil && conditional.answer?["hidden"] == true)
        let plain = try page(Self.registration()).questions[0]
        #expect(plain.answer?["default"] == ["unsupported": true] && plain.answer?["autocomplete"] == nil)
        #expect(plain.members["mediation"] == nil && plain.answer?["properties"]?["deviceName"] != nil)
        #expect(conditional.answer?["properties"]?["deviceName"] == nil)
    }

    private static let created: JSONValue = [
        "id": "AQ", "rawId": "AQ", "type": "public-key",
        "response": ["clientDataJSON": "eyAieCI6ICLDqSIgfQ", "attestationObject": "gP8A", "transports": ["usb"]],
    ]
    private static func got(_ more: JSONObject = [:]) -> JSONValue {
        var response: JSONObject = ["clientDataJSON": "eyJ4IjoiIn0", "authenticatorData": "gP8A", "signature": "AX8"]
        for (name, value) in more { response[name] = value }
        return ["id": "AQ", "rawId": "AQ", "type": "public-key", "response": .object(response)]
    }

    @Test func `sends client data byte for byte, other bytes signed, then what there is`() throws {
        let created = Self.created
        #expect(try sent(Self.registration(), ["credential": created]) == "{ \"x\": \"é\" }::-128,-1,0::AQ")
        #expect(
            try sent(Self.registration(), ["credential": created, "deviceName": "Ann's phone"])
                == "{ \"x\": \"é\" }::-128,-1,0::AQ::Ann's phone")
        #expect(try sent(Self.authentication(), ["credential": Self.got()]) == "{\"x\":\"\"}::-128,-1,0::1,127::AQ")
        for none in [JSONValue.null, ""] {
            #expect(
                try sent(Self.authentication(), ["credential": Self.got(["userHandle": none])])
                    == "{\"x\":\"\"}::-128,-1,0::1,127::AQ")
        }
        #expect(
            try sent(Self.authentication(), ["credential": Self.got(["userHandle": "ZFRFPQ"])])
                == "{\"x\":\"\"}::-128,-1,0::1,127::AQ::dTE=")
    }

    @Test func `wraps a success alone, where the page wants that`() throws {
        let wrapped = Self.authentication(#","supportsJsonResponse":true"#)
        #expect(
            try sent(wrapped, ["credential": Self.got()])
                == #"{"legacyData":"{\"x\":\"\"}::-128,-1,0::1,127::AQ"}"#)
        #expect(try sent(wrapped, ["unsupported": true]) == "unsupported")
        #expect(try sent(wrapped, ["error": ["name": "AbortError"]]) == "ERROR::AbortError:")
    }

    @Test func `names errors as browsers do, in one line of 256 characters without two colons in a row`() throws {
        let long = String(repeating: "x", count: 300)
        for (name, message, expected) in [
            ("NotAllowedError", "no", "ERROR::NotAllowedError:no"), ("Odd::Error", "no", "ERROR::UnknownError:no"),
            ("TypeError", "", "ERROR::UnknownError:"), ("NotSupportedError", "no", "unsupported"),
            ("SecurityError", "a\r\nb\u{2028}c:::d", "ERROR::SecurityError:a  b c:d"),
            ("TimeoutError", long, "ERROR::TimeoutError:" + long.prefix(256)),
        ] {
            let answer: JSONValue = ["error": ["name": .string(name), "message": .string(message)]]
            #expect(try sent(Self.registration(), answer) == .string(expected))
        }
    }

    @Test func `refuses what is none of its answers`() throws {
        let created = Self.created
        func without(_ member: String) -> JSONValue {
            var object = created.object ?? [:]
            object[member] = nil
            return .object(object)
        }
        let long = JSONValue.string(String(repeating: "A", count: 65_536))
        let cases: [(JSONValue, AnswerProblem.Code)] = [
            ("x", .wrongType), ([:], .required), (["unsupported": false], .wrongType),
            (["unsupported": true, "error": ["name": "AbortError"]], .wrongType), (["other": true], .wrongType),
            (["error": [:]], .required), (["error": ["name": 5]], .wrongType),
            (["error": ["name": "AbortError", "code": 5]], .wrongType), (["credential": [:]], .wrongType),
            (["credential": without("id")], .wrongType), (["credential": without("rawId")], .wrongType),
            (["credential": without("type")], .wrongType), (["credential": without("response")], .wrongType),
            (["credential": Self.got()], .wrongType), (["credential": ["x": long]], .tooLong),
            (["credential": created, "deviceName": "a::b"], .wrongType),
            (["credential": created, "deviceName": .string(String(repeating: "é", count: 65))], .tooLong),
            (["deviceName": "a"], .required), (["unsupported": true, "deviceName": "a"], .wrongType),
        ]
        for (answer, code) in cases {
            #expect(try faults(Self.registration(), answer) == [code], "\(answer.text.prefix(99))")
        }
        #expect(
            try faults(
                Self.registration(), ["credential": created, "deviceName": .string(String(repeating: "é", count: 64))])
                == [])
        #expect(try faults(Self.authentication(), ["credential": created]) == [.wrongType])
        #expect(try faults(Self.authentication(), ["credential": Self.got(), "deviceName": "a"]) == [.wrongType])
        for odd: JSONObject in [
            ["userHandle": "_w"], ["userHandle": 5], ["clientDataJSON": "_w"], ["signature": "A"], ["signature": ""],
        ] {
            #expect(try faults(Self.authentication(), ["credential": Self.got(odd)]) == [.wrongType])
        }
        var attached = created.object ?? [:]
        attached["authenticatorAttachment"] = "elsewhere"
        #expect(try faults(Self.registration(), ["credential": .object(attached)]) == [.wrongType])
    }
}

@Suite("A script that asks for a credential of the browser")
struct WebAuthnScriptTests {
    private static func script(_ text: String) -> String {
        let message = JSONValue.string(text).text
        return callback(
            "TextOutputCallback", output("message", message) + "," + output("messageType", #""4""#), input: nil)
    }

    private static let get = """
        var acceptable = [ { "type": "public-key", "id": new Int8Array([ 1, -97 ]).buffer } ];
        var options = { challenge : new Int8Array([-5, 0]).buffer, "timeout": "20000", 'rpId': "example.com",
            allowCredentials: acceptable, userVerification: "required" };
        navigator.credentials.get({ "publicKey" : options }).then(canary);
        """

    @Test func `is shown as what it asks for, and never itself`() throws {
        let document = try shown(Self.script(Self.get))
        #expect(!document.contains("canary") && document.contains(#""specialised":"webauthn_authentication""#))
        #expect(
            try page(Self.script(Self.get)).questions[0].members["publicKey"]?.text
                == #"{"challenge":"-wA","rpId":"example.com","allowCredentials":[{"type":"public-key","id":"AZ8"}],"userVerification":"required","timeout":20000}"#
        )
        #expect(try faults(Self.script(Self.get), "x") == [.wrongType])
    }

    @Test(arguments: [
        "navigator.credentials.get({})", "navigator.credentials.create({publicKey: {challenge: canary}})",
        "challenge: new Int8Array([1])", "credentials.get( challenge: new Int8Array([])",
        "credentials.get( challenge: new Int8Array([1",
        "credentials.get( challenge: new Int8Array([x])",
    ])
    func `is hidden where it cannot be read`(text: String) throws {
        #expect(try page(Self.script(text)).questions.isEmpty)
    }
}
