import HTTPCore
import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("An answer to a page of DaVinci")
struct CollectorAnswerTests {
    private static func problems(
        _ fields: String, _ values: [String: JSONValue], action: String? = nil, prefilled: String = "{}"
    ) throws -> [String] {
        try ScriptedPingOne.parsed(fields, values: prefilled).validate(Answers(values, action: action))
            .map { "\($0.id) \($0.code.rawValue)" }
    }

    /// What is sent, as `eventType`, `actionKey` and `formData`.
    private static func sent(
        _ fields: String, _ values: [String: JSONValue], action: String? = nil, prefilled: String = "{}",
        deviceValue: DeviceValue = .web
    ) throws -> JSONValue {
        let page = try ScriptedPingOne.parsed(fields, values: prefilled)
        let request = try page.request(answering: Answers(values, action: action), deviceValue: deviceValue)
        let parameters = try JSONValue(parsing: request.body)["parameters"]
        var sent = parameters?["data"]?.object ?? [:]
        sent["eventType"] = parameters?["eventType"]
        return .object(sent)
    }

    static let submit = #",{"type":"SUBMIT_BUTTON","key":"go","label":"Go"}"#

    struct RefusedRow: Sendable, CustomTestStringConvertible {
        let field: String
        let value: JSONValue?
        let code: String

        init(_ field: String, _ value: JSONValue?, _ code: String) {
            (self.field, self.value, self.code) = (field, value, code)
        }

        var testDescription: String { "\(value?.text ?? "nothing") \(code)" }
    }

    static let text =
        #"{"type":"TEXT","key":"x","required":true,"validation":{"regex":"[0-9]","errorMessage":"needs a digit"}}"#
    static let verify = #"{"type":"PASSWORD_VERIFY","key":"x","verify":true,"required":true}"#
    static let policy = """
        {"type":"PASSWORD","key":"x","passwordPolicy":{"length":{"min":4,"max":6},"minUniqueCharacters":3,\
        "maxRepeatedCharacters":2,"minCharacters":{"0123456789":1,"ABC":2}}}
        """
    static let radio = #"{"type":"RADIO","key":"x","required":true,"options":[{"value":"a"},{"value":"b"}]}"#
    static let boxes = #"{"type":"CHECKBOX","key":"x","required":true,"options":[{"value":"a"},{"value":"b"}]}"#
    static let open = #"{"type":"COMBOBOX","key":"x","options":[{"value":"a"}]}"#
    static let check = #"{"type":"SINGLE_CHECKBOX","key":"x","required":true,"errorMessage":"Please"}"#
    static let phone = #"{"type":"PHONE_NUMBER","key":"x","required":true,"defaultCountryCode":"GB"}"#
    static let extended = phone.replacing("\"GB\"", with: "\"GB\",\"showExtension\":true")
    static let filledPhone = #"{"x":{"countryCode":"CA","phoneNumber":"1","extension":"12"}}"#
    static let devices = """
        {"type":"DEVICE_AUTHENTICATION","key":"x","required":true,"options":[\
        {"type":"SMS","title":"T","id":"d1","description":"1"},{"type":"SMS","title":"T","id":"d2","description":"2"}]}
        """
    static let kinds = #"{"type":"DEVICE_REGISTRATION","key":"x","required":true,"options":[{"type":"EMAIL"}]}"#
    static let protect = #"{"type":"PROTECT","key":"x"}"#
    static let recognize = #"{"type":"RECOGNIZE","key":"x"}"#
    static let metadata = #"{"type":"METADATA","key":"x","payload":{}}"#
    static let label = #"{"type":"LABEL","key":"x","content":"c"}"#
    static let fido = """
        {"type":"FIDO2","key":"x","action":"AUTHENTICATE","required":true,"publicKeyCredentialRequestOptions":{"challenge":[1]}}
        """

    static let refused: [RefusedRow] = [
        RefusedRow(text, 1, "wrong-type"), RefusedRow(text, nil, "required"), RefusedRow(text, "", "required"),
        RefusedRow(text, "abc", "pattern"), RefusedRow(text, .string(String(repeating: "1", count: 8193)), "too-long"),
        RefusedRow(verify, nil, "required"), RefusedRow(verify, ["value": "a"], "required"),
        RefusedRow(verify, ["value": "a", "confirm": "b"], "mismatch"),
        RefusedRow(verify, ["value": 1, "confirm": "b"], "wrong-type"),
        RefusedRow(verify, ["value": "a", "confirm": "a", "more": "b"], "wrong-type"),
        RefusedRow(policy, "A1B", "length"), RefusedRow(policy, "AB12345", "length"),
        RefusedRow(policy, "AABB", "unique-characters minimum-characters"),
        RefusedRow(policy, "AAAB1", "repeated-characters"), RefusedRow(policy, "ABCD", "minimum-characters"),
        RefusedRow(policy, ["value": "AB12"], "wrong-type"),
        RefusedRow(radio, "c", "not-offered"), RefusedRow(radio, nil, "required"), RefusedRow(radio, "", "required"),
        RefusedRow(radio, ["a"], "wrong-type"), RefusedRow(boxes, [], "required"),
        RefusedRow(boxes, ["a", "c"], "not-offered"),
        RefusedRow(boxes, ["a", "a"], "not-offered"), RefusedRow(boxes, "a", "wrong-type"),
        RefusedRow(boxes, [1], "wrong-type"),
        // Judged before they are compared: else it takes minutes.
        RefusedRow(boxes, .array((0..<50_000).map { .string("v\($0)") }), "not-offered"),
        RefusedRow(open, [.string(String(repeating: "é", count: 257))], "too-long"),
        RefusedRow(open, .array((0...50).map { .string("v\($0)") }), "too-long"),
        RefusedRow(check, false, "required"), RefusedRow(check, nil, "required"),
        RefusedRow(check, "true", "wrong-type"),
        RefusedRow(phone, nil, "required"), RefusedRow(phone, ["phoneNumber": ""], "required"),
        RefusedRow(phone, "77", "wrong-type"),
        RefusedRow(phone, ["countryCode": "GB"], "required"),
        RefusedRow(phone, ["phoneNumber": "1", "extension": "2"], "wrong-type"),
        RefusedRow(devices, "d3", "not-offered"), RefusedRow(devices, nil, "required"),
        RefusedRow(devices, ["id": "d1"], "wrong-type"),
        RefusedRow(kinds, "SMS", "not-offered"), RefusedRow(kinds, nil, "required"),
        RefusedRow(protect, .string(String(repeating: "x", count: 65_537)), "too-long"),
        RefusedRow(recognize, ["signedJwt": 1], "wrong-type"), RefusedRow(recognize, ["other": "x"], "wrong-type"),
        RefusedRow(metadata, "x", "wrong-type"), RefusedRow(label, "x", "not-answerable"),
        RefusedRow(fido, nil, "required"), RefusedRow(fido, [:], "required"),
        RefusedRow(fido, ["credential": ["id": "a"]], "wrong-type"),
        RefusedRow(fido, ["credential": [:], "error": ["name": "x"]], "wrong-type"),
        RefusedRow(fido, ["attestationValue": [:]], "wrong-type"),
        RefusedRow(fido, ["error": ["message": "x"]], "required"),
    ]

    @Test("is refused with a code when the page is submitted", arguments: refused)
    func isRefused(row: RefusedRow) throws {
        let values = row.value.map { ["x": $0] } ?? [:]
        let found = try Self.problems(row.field + Self.submit, values, action: "go")
        #expect(found == row.code.split(separator: " ").map { "x \($0)" })
    }

    @Test("is only looked at for its form when another way is taken")
    func ways() throws {
        let ways = Self.submit + #",{"type":"FLOW_LINK","key":"other","label":"Other"}"#
        for field in [Self.text, Self.radio, Self.check, Self.phone, Self.devices, Self.fido, Self.verify] {
            #expect(try Self.problems(field + ways, [:], action: "other") == [])
        }
        #expect(try Self.problems(Self.text + ways, ["x": 1], action: "other") == ["x wrong-type"])
        #expect(try Self.problems(Self.radio + ways, ["x": "c"], action: "other") == ["x not-offered"])
    }

    @Test func `is told in the words of the form, where it has some`() throws {
        let page = try ScriptedPingOne.parsed(
            Self.text + "," + Self.check.replacing("\"x\"", with: "\"y\"") + Self.submit)
        let problems = page.validate(Answers(["x": "abc"], action: "go"))
        #expect(problems.map(\.message) == ["needs a digit", "Please"])
    }

    @Test func `is one to a question or button of the page, and all faults come at once`() throws {
        let fields = Self.text + Self.submit
        #expect(
            try Self.problems(fields, ["a": 1, "x": 2], action: "b") == [
                "x wrong-type", "a unknown-question", "b unknown-action",
            ])
        #expect(try Self.problems(fields, ["go": 1, "x": "1"]) == ["go not-answerable"])
        #expect(try Self.problems(fields, ["x": "1"], action: "x") == ["x unknown-action"])
    }

    @Test func `is one to what is pressed, where that sends a value of its own`() throws {
        for field in [Self.devices, Self.kinds, Self.recognize, Self.metadata] {
            let other = field.replacing(#","required":true"#, with: "")
            #expect(try Self.problems(other, [:], action: "x") == ["x required"])
        }
        #expect(try Self.problems(Self.metadata + Self.submit, [:]) == ["x required"])
        #expect(try Self.problems(Self.metadata + Self.submit, [:], action: "go").isEmpty)
        let error: JSONValue = ["error": ["name": "NotAllowedError"]]
        #expect(try Self.problems(Self.fido, ["x": error], action: "bogus") == ["bogus unknown-action"])
    }

    @Test func `is none of what the form filled in beyond its options, though that goes back untouched`() throws {
        for (type, value) in [("RADIO", #""gone""#), ("CHECKBOX", #"["gone"]"#)] {
            let field = #"{"type":"\#(type)","key":"x","options":[{"value":"a"}]}"#
            let page = try ScriptedPingOne.parsed(field + Self.submit, values: #"{"x":\#(value)}"#)
            let answer = try JSONValue(parsing: value)
            #expect(page.validate(Answers(["x": answer])).map(\.code) == [.notOffered])
            #expect(
                try Self.sent(field + Self.submit, [:], prefilled: #"{"x":\#(value)}"#)["formData"] == ["x": answer])
        }
    }

    @Test func `needs a button where there are several`() throws {
        let two = signOnFields + #",{"type":"SUBMIT_BUTTON","key":"REGISTER","label":"Register"}"#
        #expect(try Self.problems(two, ["username": "u"]) == ["SIGNON required"])
        #expect(try Self.sent(two, ["username": "u"], action: "REGISTER")["actionKey"] == "REGISTER")
        #expect(try Self.sent(signOnFields, ["username": "u"])["actionKey"] == "SIGNON")
    }

    @Test func `cannot leave by a button that leads nowhere`() throws {
        let link = #","links":{"authenticate":{"href":"https://x.example/a"}}}"#
        let button = #"{"type":"SOCIAL_LOGIN_BUTTON","key":"g","label":"G""#
        #expect(try Self.problems(button + "}", [:], action: "g") == ["g not-offered"])
        #expect(try Self.problems(button + #","idpEnabled":false"# + link, [:], action: "g") == ["g not-offered"])
        #expect(try Self.problems(button + link, [:], action: "g") == ["g not-answerable"])
    }

    struct SentRow: Sendable, CustomTestStringConvertible {
        let fields: String
        let values: [String: JSONValue]
        var action: String?
        var prefilled = "{}"
        let expected: JSONValue
        var testDescription: String { expected.text }
    }

    static let sent: [SentRow] = [
        // Of two fields with one key the answered one counts.
        SentRow(
            fields: #"{"type":"TEXT","key":"x"},{"type":"TEXT","key":"x"},{"type":"SUBMIT_BUTTON","key":"go"}"#,
            values: ["x-0": "new"], prefilled: #"{"x":"old"}"#,
            expected: ["actionKey": "go", "formData": ["x": "new"], "eventType": "submit"]),
        SentRow(
            fields: #"{"type":"TEXT","key":"x"},{"type":"TEXT","key":"x"},{"type":"SUBMIT_BUTTON","key":"go"}"#,
            values: ["x-1": "new"], prefilled: #"{"x":"old"}"#,
            expected: ["actionKey": "go", "formData": ["x": "new"], "eventType": "submit"]),
        SentRow(
            fields: signOnFields, values: ["username": "u", "password": "p"],
            expected: ["actionKey": "SIGNON", "formData": ["username": "u", "password": "p"], "eventType": "submit"]),
        SentRow(
            fields: signOnFields, values: [:], action: "TROUBLE", prefilled: #"{"username":"","password":""}"#,
            expected: ["actionKey": "TROUBLE", "formData": [:], "eventType": "action"]),
        // Untouched defaults go along; passwords have none.
        SentRow(
            fields: signOnFields, values: [:], prefilled: #"{"username":"u","password":"p"}"#,
            expected: ["actionKey": "SIGNON", "formData": ["username": "u"], "eventType": "submit"]),
        // Keys with dots stay as they are.
        SentRow(
            fields: text.replacing("\"x\"", with: "\"user.name\"") + submit, values: ["user.name": "1"],
            expected: ["actionKey": "go", "formData": ["user.name": "1"], "eventType": "submit"]),
        SentRow(
            fields: verify + submit, values: ["x": ["value": "a", "confirm": "a"]],
            expected: ["actionKey": "go", "formData": ["x": "a"], "eventType": "submit"]),
        SentRow(
            fields: verify + submit, values: ["x": "a"],
            expected: ["actionKey": "go", "formData": ["x": "a"], "eventType": "submit"]),
        SentRow(
            fields: #"{"type":"SINGLE_CHECKBOX","key":"x"}"# + submit, values: [:],
            expected: ["actionKey": "go", "formData": ["x": false], "eventType": "submit"]),
        SentRow(
            fields: open + submit, values: ["x": ["a", "own"]],
            expected: ["actionKey": "go", "formData": ["x": ["a", "own"]], "eventType": "submit"]),
        SentRow(
            fields: open + submit, values: ["x": []], prefilled: #"{"x":["a"]}"#,
            expected: ["actionKey": "go", "formData": [:], "eventType": "submit"]),
        SentRow(
            fields: phone + submit, values: ["x": ["phoneNumber": "77"]],
            expected: [
                "actionKey": "go", "formData": ["x": ["countryCode": "GB", "phoneNumber": "77"]], "eventType": "submit",
            ]),
        SentRow(
            fields: extended + submit, values: ["x": ["phoneNumber": "77"]], prefilled: filledPhone,
            expected: [
                "actionKey": "go",
                "formData": ["x": ["countryCode": "CA", "phoneNumber": "77", "extension": "12"]],
                "eventType": "submit",
            ]),
        SentRow(
            fields: extended + submit, values: ["x": ["phoneNumber": "77", "extension": ""]], prefilled: filledPhone,
            expected: [
                "actionKey": "go", "formData": ["x": ["countryCode": "CA", "phoneNumber": "77", "extension": ""]],
                "eventType": "submit",
            ]),
        SentRow(
            fields: kinds, values: ["x": "EMAIL"], action: "x",
            expected: ["actionKey": "", "formData": ["x": "EMAIL"], "eventType": "submit"]),
        SentRow(
            fields: devices, values: ["x": "d2"],
            expected: [
                "actionKey": "", "formData": ["x": ["type": "SMS", "id": "d2", "value": "2"]], "eventType": "submit",
            ]),
        SentRow(
            fields: protect + submit, values: ["x": "R/o/1"],
            expected: ["actionKey": "go", "formData": ["x": "R/o/1"], "eventType": "submit"]),
        SentRow(
            fields: metadata, values: ["x": ["error": ["code": "c", "message": "m"]]],
            expected: [
                "actionKey": "x", "formData": ["x": ["error": ["code": "c", "message": "m"]]], "eventType": "action",
            ]),
        // Beside a submit button it goes under that button's key, as an action where no action is named.
        SentRow(
            fields: metadata + submit, values: ["x": ["sessionId": "s"]],
            expected: ["actionKey": "go", "formData": ["x": ["sessionId": "s"]], "eventType": "action"]),
        SentRow(
            fields: metadata + submit, values: ["x": ["sessionId": "s"]], action: "go",
            expected: ["actionKey": "go", "formData": ["x": ["sessionId": "s"]], "eventType": "submit"]),
        SentRow(
            fields: metadata + submit, values: ["x": ["sessionId": "s"]], action: "x",
            expected: ["actionKey": "x", "formData": ["x": ["sessionId": "s"]], "eventType": "action"]),
        SentRow(
            fields: recognize, values: ["x": ["signedJwt": "j"]],
            expected: [
                "actionKey": "",
                "formData": [
                    "x": [
                        "signedJwt": "j", "clientState": "", "recognizeId": "", "devicePublicSigningKey": "",
                        "clientError": "", "clientErrorCode": "",
                    ]
                ], "eventType": "submit",
            ]),
        SentRow(
            fields: fido, values: ["x": ["error": ["name": "NotAllowedError", "message": "m"]]],
            expected: ["actionKey": "NotAllowedError", "formData": [:], "eventType": "action"]),
        SentRow(
            fields: fido, values: ["x": ["error": ["name": "Whatever"]]], action: "x",
            expected: ["actionKey": "UnknownError", "formData": [:], "eventType": "action"]),
        SentRow(
            fields: fido + #",{"type":"FLOW_BUTTON","key":"other","label":"Another way"}"#,
            values: ["x": ["error": ["name": "NotAllowedError", "message": "m"]]], action: "other",
            expected: ["actionKey": "other", "formData": [:], "eventType": "action"]),
        SentRow(
            fields: fido + submit, values: ["x": ["assertionValue": ["id": "a"]]],
            expected: ["actionKey": "go", "formData": ["x": ["assertionValue": ["id": "a"]]], "eventType": "submit"]),
        SentRow(
            fields: fido,
            values: [
                "x": [
                    "credential": [
                        "id": "_-8", "rawId": "_-8", "type": "public-key", "authenticatorAttachment": "platform",
                        "response": ["clientDataJSON": "AQ", "authenticatorData": "AQI", "signature": "AQID"],
                    ]
                ]
            ],
            expected: [
                "actionKey": "",
                "formData": [
                    "x": [
                        "assertionValue": [
                            "id": "_-8", "type": "public-key", "rawId": "/+8=",
                            "response": [
                                "clientDataJSON": "AQ==", "authenticatorData": "AQI=", "signature": "AQID",
                                "userHandle": nil,
                            ],
                        ]
                    ]
                ], "eventType": "submit",
            ]),
        SentRow(
            fields: #"{"type":"POLLING","key":"x"}"#, values: [:], action: "x",
            expected: ["actionKey": "", "formData": ["x": "continue"], "eventType": "polling"]),
        SentRow(
            fields: #"{"type":"POLLING","key":"x","pollRetries":1}"#, values: [:], action: "x",
            expected: ["actionKey": "", "formData": ["x": "timedOut"], "eventType": "polling"]),
        SentRow(
            fields: #"{"type":"POLLING","key":"x","pollChallengeStatus":true}"#, values: [:], action: "x",
            expected: ["actionKey": "", "formData": ["x": "error"], "eventType": "polling"]),
    ]

    @Test("goes out under the key of its field, with the button that was pressed", arguments: sent)
    func goesOut(row: SentRow) throws {
        let found = try Self.sent(row.fields, row.values, action: row.action, prefilled: row.prefilled)
        #expect(found == row.expected)
    }

    @Test func `that is wrong is not sent`() throws {
        let page = try ScriptedPingOne.parsed(signOnFields)
        for answers in [Answers(["username": 7], action: "TROUBLE"), Answers(["stranger": "x"], action: "TROUBLE")] {
            #expect(throws: InvalidAnswersError.self) { try page.request(answering: answers, deviceValue: .web) }
        }
    }

    @Test func `with a credential is no longer than a token may be`() throws {
        let page = try ScriptedPingOne.parsed(Self.fido)
        for (bytes, codes) in [(60_000, []), (70_000, [AnswerProblem.Code.tooLong])] {
            let value: JSONValue = ["assertionValue": ["id": .string(String(repeating: "a", count: bytes))]]
            #expect(page.validate(Answers(["x": value])).map(\.code) == codes)
        }
    }

    @Test func `with a device goes back as mobile SDKs send it, where that is set`() throws {
        let found = try Self.sent(Self.devices, ["x": "d1"], deviceValue: .native)
        #expect(found == ["formData": ["x": ["type": "SMS", "id": "d1", "description": "1"]], "eventType": "submit"])
    }

    @Test func `carries the ids of its page, in the body and in headers`() throws {
        let page = try ScriptedPingOne.parsed(signOnFields)
        let request = try page.request(answering: Answers(["username": "u"]), deviceValue: .web)
        let body = try JSONValue(parsing: request.body)
        #expect(body["id"] == "n1" && body["eventName"] == "continue" && body["interactionId"] == "i1")
        #expect(request.header("interactionId") == "i1" && request.header("interactionToken") == "t1")
        #expect(request.url?.text == ScriptedPingOne.next)
        var step = page.step
        for name in ["eventName", "interactionToken"] { step[name] = name == "eventName" ? "" : nil }
        let other = try DaVinciPage(step).request(answering: Answers(["username": "u"]), deviceValue: .web)
        #expect(
            try JSONValue(parsing: other.body)["eventName"] == "continue" && other.header("interactionToken") == nil)
    }

    @Test func `to two fields of one key is told apart by their ids`() throws {
        let twice = #"{"type":"TEXT","key":"a","label":"1"},{"type":"TEXT","key":"a","label":"2"},7"# + Self.submit
        let page = try ScriptedPingOne.parsed(twice)
        #expect(page.collectors.map(\.id) == ["a-0", "a-1", "-2", "go"])
        #expect(try Self.sent(twice, ["a-1": "x"])["formData"] == ["a": "x"])
    }

    @Test func `to an older page is held against the policy of the whole page`() throws {
        let page = try ScriptedPingOne.parsed(
            #"{"type":"PASSWORD_VERIFY","key":"new"},{"type":"PASSWORD","key":"old"},{"type":"PASSWORD","key":"set","verify":true}"#
                + Self.submit,
            more: #""passwordPolicy":{"length":{"min":8}},"#)
        let problems = page.validate(Answers(["new": "short", "old": "short", "set": "short"], action: "go"))
        #expect(problems.map { "\($0.id) \($0.code.rawValue)" } == ["new length", "set length"])
    }
}
