import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("A collector")
struct CollectorTests {
    /// A field on the wire, its values, and what a browser gets of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let field: String
        var values = "{}"
        let shown: String

        init(_ field: String, values: String = "{}", _ shown: String) {
            (self.field, self.values, self.shown) = (field, values, shown)
        }

        var testDescription: String { field }
    }

    /// The schema of a credential, and of the error in its place.
    private static let credential = """
        {"type":"object","properties":{"credential":{"type":"object"},"error":{"type":"object","properties":\
        {"name":{"type":"string","maxLength":8192},"message":{"type":"string","maxLength":8192}},"required":["name"],\
        "additionalProperties":false}},"additionalProperties":false,\
        "oneOf":[{"required":["credential"]},{"required":["error"]}],"hidden":true}
        """
    private static let recognised: String = {
        let names = [
            "signedJwt", "clientState", "recognizeId", "devicePublicSigningKey", "clientError", "clientErrorCode",
        ]
        let members = names.map { #""\#($0)":{"type":"string","maxLength":65536}"# }.joined(separator: ",")
        return
            #"{"type":"object","properties":{\#(members)},"required":[],"additionalProperties":false,"hidden":true}"#
    }()

    static let rows: [Row] = [
        Row(
            #"{"type":"TEXT","key":"user.email","label":"Email","required":true,"validation":{"regex":"^.+@.+$","errorMessage":"No","id":"v1"}}"#,
            values: #"{"user.email":"a@b.c"}"#,
            """
            {"id":"user.email","type":"TextCollector","category":"ValidatedSingleValueCollector","label":"Email","required":true,\
            "value":"a@b.c","validation":{"regex":"^.+@.+$","errorMessage":"No"},"answer":{"type":"string","title":"Email",\
            "default":"a@b.c","maxLength":8192,"autocomplete":"email","pattern":"^.+@.+$"}}
            """),
        Row(
            #"{"type":"TEXT","key":"protectsdk"}"#,
            """
            {"id":"protectsdk","type":"TextCollector","category":"SingleValueCollector","label":"","required":false,"value":"",\
            "protect":true,"answer":{"type":"string","maxLength":65536,"hidden":true}}
            """),
        Row(
            #"{"type":"PASSWORD","key":"password","label":"Password","required":true}"#,
            values: #"{"password":"secret"}"#,
            """
            {"id":"password","type":"PasswordCollector","category":"SingleValueCollector","label":"Password","required":true,\
            "verify":false,"answer":{"type":"string","title":"Password","maxLength":8192,"writeOnly":true,\
            "autocomplete":"current-password"}}
            """),
        Row(
            """
            {"type":"PASSWORD_VERIFY","key":"p","label":"P","verify":true,"passwordPolicy":{"id":"x","name":"Standard",\
            "length":{"min":8,"max":255},"minUniqueCharacters":5,"minCharacters":{"0123456789":1},"createdAt":"2024","default":true}}
            """,
            """
            {"id":"p","type":"PasswordCollector","category":"SingleValueCollector","label":"P","required":false,"verify":true,\
            "passwordPolicy":{"length":{"min":8,"max":255},"minUniqueCharacters":5,"minCharacters":{"0123456789":1}},\
            "answer":{"type":["object","string"],"title":"P","maxLength":8192,"writeOnly":true,"autocomplete":"new-password",\
            "properties":{"value":{"type":"string","title":"P","maxLength":8192,"writeOnly":true,"autocomplete":"new-password"},\
            "confirm":{"type":"string","title":"P","maxLength":8192,"writeOnly":true,"autocomplete":"new-password"}},\
            "required":["value","confirm"],"additionalProperties":false}}
            """),
        Row(
            #"{"type":"RADIO","key":"plan","label":"Plan","options":[{"label":"Free","value":"free"},{"label":"Pro","value":"pro"}]}"#,
            values: #"{"plan":"pro"}"#,
            """
            {"id":"plan","type":"SingleSelectCollector","category":"SingleValueCollector","label":"Plan","required":false,\
            "options":[{"label":"Free","value":"free"},{"label":"Pro","value":"pro"}],"value":"pro","style":"radio",\
            "answer":{"type":"string","title":"Plan","oneOf":[{"const":"free","title":"Free"},{"const":"pro","title":"Pro"}],\
            "default":"pro"}}
            """),
        Row(
            #"{"type":"DROPDOWN","key":"plan","options":[{"value":"a"}]}"#, values: #"{"plan":"gone"}"#,
            """
            {"id":"plan","type":"SingleSelectCollector","category":"SingleValueCollector","label":"","required":false,\
            "options":[{"label":"a","value":"a"}],"value":"gone","style":"dropdown",\
            "answer":{"type":"string","oneOf":[{"const":"a","title":"a"}]}}
            """),
        Row(
            #"{"type":"CHECKBOX","key":"t","options":[{"value":"a"}]}"#, values: #"{"t":["gone","a"]}"#,
            """
            {"id":"t","type":"MultiSelectCollector","category":"MultiValueCollector","label":"","required":false,\
            "options":[{"label":"a","value":"a"}],"value":["gone","a"],"style":"checkbox",\
            "answer":{"type":"array","items":{"type":"string","oneOf":[{"const":"a","title":"a"}]},"maxItems":1,"default":["a"]}}
            """),
        Row(
            #"{"type":"COMBOBOX","key":"t","label":"T","options":[{"label":"A","value":"a"}]}"#, values: #"{"t":"a"}"#,
            """
            {"id":"t","type":"MultiSelectCollector","category":"MultiValueCollector","label":"T","required":false,\
            "options":[{"label":"A","value":"a"}],"value":["a"],"style":"combobox","freeText":true,\
            "answer":{"type":"array","title":"T","items":{"anyOf":[{"type":"string","oneOf":[{"const":"a","title":"A"}]},\
            {"type":"string","maxLength":256}]},"maxItems":50,"default":["a"]}}
            """),
        Row(
            #"{"type":"CHECKBOX","key":"t","options":[{"value":"a"}]}"#, values: #"{"t":""}"#,
            """
            {"id":"t","type":"MultiSelectCollector","category":"MultiValueCollector","label":"","required":false,\
            "options":[{"label":"a","value":"a"}],"value":[],"style":"checkbox",\
            "answer":{"type":"array","items":{"type":"string","oneOf":[{"const":"a","title":"a"}]},"maxItems":1}}
            """),
        Row(
            """
            {"type":"SINGLE_CHECKBOX","key":"terms","label":"I accept","required":true,"appearance":"SWITCH",\
            "errorMessage":"Please accept","richContent":{"content":"Accept {{t}} {{u}}","replacements":\
            {"t":{"type":"link","value":"terms","href":"javascript:alert(1)"}}}}
            """,
            """
            {"id":"terms","type":"BooleanCollector","category":"ValidatedSingleValueCollector","label":"I accept","required":true,\
            "value":false,"appearance":"SWITCH","errorMessage":"Please accept","segments":[{"text":"Accept terms {{u}}"}],\
            "answer":{"type":"boolean","title":"I accept","default":false}}
            """),
        Row(
            #"{"type":"LABEL","content":"<b>Hi</b>"}"#,
            #"{"id":"LABEL-0","type":"ReadOnlyCollector","category":"NoValueCollector","content":"<b>Hi</b>"}"#),
        Row(
            """
            {"type":"LABEL","key":"l","content":"See terms","richContent":{"content":"See {{t}}.","replacements":\
            {"t":{"type":"link","value":"terms","href":"https://x.example/t","target":"_blank"}}}}
            """,
            """
            {"id":"l","type":"RichTextCollector","category":"NoValueCollector","content":"See terms","segments":[{"text":"See "},\
            {"text":"terms","href":"https://x.example/t","target":"_blank"},{"text":"."}]}
            """),
        Row(
            #"{"type":"LABEL","key":"l","content":"c","richContent":{"content":"Plain {{t}}"}}"#,
            """
            {"id":"l","type":"RichTextCollector","category":"NoValueCollector","content":"c",\
            "segments":[{"text":"Plain {{t}}"}]}
            """),
        Row(
            #"{"type":"AGREEMENT","key":"a","content":"…","titleEnabled":true,"title":"Terms","agreement":{"id":"a1"}}"#,
            """
            {"id":"a","type":"ReadOnlyTextCollector","category":"NoValueCollector","content":"…","title":"Terms","enabled":true}
            """),
        Row(
            #"{"type":"QR_CODE","key":"q","content":"data:image/png;base64,iVBORw0","fallbackText":"JBSW"}"#,
            """
            {"id":"q","type":"QrCodeCollector","category":"NoValueCollector","src":"data:image/png;base64,iVBORw0",\
            "fallbackText":"JBSW"}
            """),
        Row(
            #"{"type":"QR_CODE","key":"q","content":"data:text/html,<script>"}"#,
            #"{"id":"q","type":"QrCodeCollector","category":"NoValueCollector","fallbackText":""}"#),
        Row(
            #"{"type":"IMAGE","key":"i","imageUrl":"https://x.example/l.png","description":"Logo","hyperlinkUrl":"https://x.example"}"#,
            """
            {"id":"i","type":"ImageCollector","category":"NoValueCollector","src":"https://x.example/l.png","alt":"Logo",\
            "href":"https://x.example"}
            """),
        Row(
            #"{"type":"IMAGE","key":"i","imageUrl":"http://x.example/l.png","hyperlinkUrl":"javascript:a()"}"#,
            #"{"id":"i","type":"ImageCollector","category":"NoValueCollector","alt":""}"#),
        Row(
            #"{"type":"SUBMIT_BUTTON","key":"GO","label":"Go"}"#,
            #"{"id":"GO","type":"SubmitCollector","category":"ActionCollector","label":"Go"}"#),
        Row(
            #"{"type":"FLOW_LINK","key":"f","label":"Forgot?"}"#,
            #"{"id":"f","type":"FlowCollector","category":"ActionCollector","label":"Forgot?","style":"link"}"#),
        Row(
            #"{"type":"OTHER","inputType":"ACTION","key":"f","label":"F"}"#,
            #"{"id":"f","type":"FlowCollector","category":"ActionCollector","label":"F","style":"button"}"#),
        Row(
            #"{"type":"BUTTON","key":"b","label":"B"}"#,
            #"{"id":"b","type":"ActionCollector","category":"ActionCollector","label":"B"}"#),
        Row(
            """
            {"type":"SOCIAL_LOGIN_BUTTON","label":"Google","idpId":"p1","idpType":"GOOGLE",\
            "links":{"authenticate":{"href":"https://auth.pingone.example/x?interactionToken=secret"}}}
            """,
            """
            {"id":"SOCIAL_LOGIN_BUTTON-0","type":"IdpCollector","category":"ActionCollector","label":"Google","idpId":"p1",\
            "idpType":"GOOGLE","enabled":true}
            """),
        Row(
            #"{"type":"DEVICE_REGISTRATION","key":"d","label":"Add","required":true,"options":[{"type":"EMAIL","title":"Email","description":"By mail","iconSrc":"http://x/m.svg"}]}"#,
            """
            {"id":"d","type":"DeviceRegistrationCollector","category":"ObjectValueCollector","label":"Add","required":true,\
            "options":[{"type":"EMAIL","title":"Email","description":"By mail"}],\
            "answer":{"type":"string","title":"Add","oneOf":[{"const":"EMAIL","title":"Email"}]}}
            """),
        Row(
            #"{"type":"DEVICE_AUTHENTICATION","key":"d","label":"Pick","options":[{"type":"SMS","title":"Text","id":"d1","default":true,"description":"***123","iconSrc":"https://x.example/s.svg"}]}"#,
            """
            {"id":"d","type":"DeviceAuthenticationCollector","category":"ObjectValueCollector","label":"Pick","required":false,\
            "options":[{"id":"d1","type":"SMS","title":"Text","description":"***123","icon":"https://x.example/s.svg","default":true}],\
            "value":"d1","answer":{"type":"string","title":"Pick","oneOf":[{"const":"d1","title":"Text"}],"default":"d1"}}
            """),
        Row(
            #"{"type":"PROTECT","key":"deviceRisk"}"#,
            """
            {"id":"deviceRisk","type":"ProtectCollector","category":"SingleValueAutoCollector","behavioralDataCollection":true,\
            "universalDeviceIdentification":false,"answer":{"type":"string","maxLength":65536,"hidden":true}}
            """),
        Row(
            #"{"type":"POLLING","key":"p","pollInterval":"100","pollRetries":"5","pollChallengeStatus":true,"challenge":"c"}"#,
            """
            {"id":"p","type":"PollingCollector","category":"SingleValueAutoCollector","mode":"challenge","pollInterval":500,\
            "retriesLeft":5}
            """),
        Row(
            #"{"type":"POLLING","key":"p","challenge":"c"}"#,
            """
            {"id":"p","type":"PollingCollector","category":"SingleValueAutoCollector","mode":"broken","pollInterval":2000,\
            "retriesLeft":60}
            """),
        Row(
            #"{"type":"PHONE_NUMBER","key":"p","label":"Phone","defaultCountryCode":"GB","showExtension":true,"extensionLabel":"Ext."}"#,
            """
            {"id":"p","type":"PhoneNumberCollector","category":"ObjectValueCollector","label":"Phone","required":false,\
            "value":{"countryCode":"GB","phoneNumber":"","extension":""},"defaultCountryCode":"GB",\
            "validatePhoneNumber":false,"showExtension":true,"extensionLabel":"Ext.","answer":{"type":"object","properties":{\
            "countryCode":{"type":"string","default":"GB","maxLength":64},\
            "phoneNumber":{"type":"string","title":"Phone","maxLength":64,"autocomplete":"tel"},\
            "extension":{"type":"string","title":"Ext.","maxLength":64}},"required":["phoneNumber"],\
            "additionalProperties":false}}
            """),
        Row(
            """
            {"type":"FIDO2","key":"f","label":"L","action":"REGISTER","trigger":"BUTTON",\
            "publicKeyCredentialCreationOptions":{"challenge":[1],"user":{"id":[2]},"pubKeyCredParams":[{"alg":"-7"}]}}
            """,
            #"{"id":"f","type":"FidoRegistrationCollector","category":"ObjectValueAutoCollector","label":"L","required":false,"trigger":"BUTTON","publicKey":{"challenge":"AQ","user":{"id":"Ag"},"pubKeyCredParams":[{"type":"public-key","alg":-7}],"excludeCredentials":[]},"answer":\#(credential)}"#
        ),
        Row(
            #"{"type":"FIDO2","key":"f","action":"AUTHENTICATE","publicKeyCredentialRequestOptions":{"challenge":[1]}}"#,
            #"{"id":"f","type":"FidoAuthenticationCollector","category":"ObjectValueAutoCollector","label":"","required":false,"trigger":"","publicKey":{"challenge":"AQ","allowCredentials":[]},"answer":\#(credential)}"#
        ),
        Row(
            """
            {"type":"RECOGNIZE","key":"r","operationType":"ENROLL","host":"h","apiKey":"k","transactionData":"","audience":"a",\
            "clientState":"","generateClientState":false,"mobileSDKOptions":{}}
            """,
            #"{"id":"r","type":"RecognizeCollector","category":"ObjectValueAutoCollector","operationType":"ENROLL","transactionData":"","audience":"a","clientState":"","generateClientState":false,"answer":\#(recognised)}"#
        ),
        Row(
            #"{"type":"METADATA","key":"m","payload":{"TYPE":"t","OPERATION":"o","configs":{"a":1.50}}}"#,
            """
            {"id":"m","type":"MetadataCollector","category":"ObjectValueAutoCollector",\
            "payload":{"TYPE":"t","OPERATION":"o","configs":{"a":1.50}},"answer":{"type":"object","hidden":true}}
            """),
        Row(
            #"{"type":"ERROR_DISPLAY"}"#,
            """
            {"id":"ERROR_DISPLAY-0","type":"UnknownCollector","category":"UnknownCollector","providerType":"ERROR_DISPLAY",\
            "raw":{"type":"ERROR_DISPLAY"}}
            """),
        Row(
            #"{"type":"FIDO2","key":"f","label":"L","action":"OTHER","links":{"a":"secret"}}"#,
            """
            {"id":"f","type":"UnknownCollector","category":"UnknownCollector","providerType":"FIDO2","label":"L",\
            "raw":{"type":"FIDO2","key":"f","label":"L","action":"OTHER"}}
            """),
        Row(
            #"{"type":"NEW","idp":{"links":{"a":"s"},"list":[{"href":"s","n":1}],"authenticate":{"href":"s"}}}"#,
            """
            {"id":"NEW-0","type":"UnknownCollector","category":"UnknownCollector","providerType":"NEW",\
            "raw":{"type":"NEW","idp":{"list":[{"n":1}],"authenticate":{}}}}
            """),
        Row(
            #"{"type":"NEW","address":"https://x.example/?interactionToken=t"}"#,
            #"{"id":"NEW-0","type":"UnknownCollector","category":"UnknownCollector","providerType":"NEW"}"#),
        Row("7", #"{"id":"-0","type":"UnknownCollector","category":"UnknownCollector","providerType":"","raw":7}"#),
        // A value without a name could not be sent.
        Row(
            #"{"type":"TEXT","label":"L"}"#,
            #"{"id":"TEXT-0","type":"TextCollector","category":"SingleValueCollector","label":"L","required":false,"value":""}"#
        ),
    ]

    @Test("is shown with all that its type has, and with a schema of its answer", arguments: rows)
    func shown(row: Row) throws {
        let page = try ScriptedPingOne.parsed(row.field, values: row.values)
        #expect(page.collectors.count == 1)
        #expect(JSONValue.object(page.collectors[0].document).text == (try JSONValue(parsing: row.shown)).text)
        #expect(
            try ContractFile.browsers.get().faults(in: .object(page.collectors[0].document), as: "Collector") == [])
    }

    /// What CONTRIBUTING.md says that a collector needs: a row here, and a schema.
    @Test func `has a row here and a schema for each type of the catalogue, and for no other`() throws {
        let shown = try Set(Self.rows.map { try JSONValue(parsing: $0.shown)["type"]?.string ?? "" })
        #expect(try ContractFile.browsers.get().choices["Collector"] == shown.sorted())
        #expect(Set(CollectorCatalogue.types.values.map(\.name)).subtracting(shown) == [])
    }

    @Test(
        "of a type that is not known is one of its input type",
        arguments: [
            ("SINGLE_SELECT", "SingleSelectCollector"), ("MULTI_SELECT", "MultiSelectCollector"),
            ("BOOLEAN", "BooleanCollector"), ("READ_ONLY_TEXT", "ReadOnlyTextCollector"), ("ACTION", "FlowCollector"),
            ("OTHER", "UnknownCollector"),
        ])
    func inputType(_ inputType: String, _ type: String) throws {
        let page = try ScriptedPingOne.parsed(#"{"type":"NEW","inputType":"\#(inputType)","key":"x"}"#)
        #expect(page.collectors.map(\.type) == [type])
    }

    @Test(
        "prefills a phone number in every form",
        arguments: [
            (#"{"countryCode":"CA","phoneNumber":"77","extension":"12"}"#, "CA", "77", "12"),
            (#""7700900123""#, "GB", "7700900123", ""), (#""CA-1-+17783186380-7783186380""#, "CA", "7783186380", ""),
            (#"{"phoneNumber":"CA-1-+17783186380-7783186380"}"#, "CA", "7783186380", ""), ("null", "GB", "", ""),
            (#""12-34-56-78""#, "GB", "12-34-56-78", ""),
        ])
    func phone(_ value: String, _ country: String, _ number: String, _ rest: String) throws {
        let field = #"{"type":"PHONE_NUMBER","key":"p","defaultCountryCode":"GB","showExtension":true}"#
        let page = try ScriptedPingOne.parsed(field, values: #"{"p":\#(value)}"#)
        let expected: JSONValue = [
            "countryCode": .string(country), "phoneNumber": .string(number), "extension": .string(rest),
        ]
        #expect(page.collectors[0].members["value"] == expected)
    }

    @Test("gives bytes of a credential as base64url, whatever their signs", arguments: ["REGISTER", "AUTHENTICATE"])
    func credential(_ action: String) throws {
        let options = #"{"challenge":[-128,127,"-1",255],"user":{"id":[24,-76,-64],"name":"n"},"rpId":"x.example"}"#
        let name = action == "REGISTER" ? "Creation" : "Request"
        let page = try ScriptedPingOne.parsed(
            #"{"type":"FIDO2","key":"f","action":"\#(action)","trigger":"BUTTON","publicKeyCredential\#(name)Options":\#(options)}"#
        )
        let shown = page.collectors[0].members["publicKey"]
        #expect(shown?["challenge"] == "gH___w")
        #expect(shown?["rpId"] == "x.example")
        if action == "REGISTER" {
            #expect(shown?["user"] == ["id": "GLTA", "name": "n"])
            #expect(
                shown?["pubKeyCredParams"] == [
                    ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
                ])
        } else {
            #expect(shown?["allowCredentials"] == [])
        }
    }

    @Test("of a credential is unknown when its challenge cannot be read", arguments: ["[]", "[300]", "7", "[1.5]"])
    func unreadable(_ challenge: String) throws {
        let options = #"{"challenge":\#(challenge)}"#
        let page = try ScriptedPingOne.parsed(
            #"{"type":"FIDO2","key":"f","action":"REGISTER","publicKeyCredentialCreationOptions":\#(options)}"#)
        #expect(page.collectors[0].type == "UnknownCollector")
    }
}
