internal import HTTPServer
internal import JSON

/// A sign-in among all fields that only show something; texts and errors are in English, French or German.
struct TextsPolicy: FlowPolicy {
    private struct Words {
        let title, name, password, submit, refusal: String
    }

    private static let words: KeyValuePairs<String, Words> = [
        "en": Words(
            title: "Sign On", name: "Username", password: "Password", submit: "Sign On",
            refusal: "The password is wrong."),
        "fr": Words(
            title: "Connexion", name: "Identifiant", password: "Mot de passe", submit: "Se connecter",
            refusal: "Le mot de passe est erroné."),
        "de": Words(
            title: "Anmeldung", name: "Benutzername", password: "Kennwort", submit: "Anmelden",
            refusal: "Das Kennwort ist falsch."),
    ]

    private static func words(_ services: FlowServices) -> Words {
        let asked = (services.call.headers.single("accept-language") ?? "").split(separator: ",")
            .map { $0.drop { $0 == " " }.prefix(2).lowercased() }
        return asked.lazy.compactMap { tag in words.first { $0.key == tag }?.value }.first ?? words[0].value
    }

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        let words = Self.words(services)
        var page = FlowPage("texts", words.title)
        page.description = "<b>HTML stays text</b>"
        page.fields = Self.shown
        page.addText("user.username", words.name, required: true)
        page.addPassword("user.password", words.password, required: true)
        page.add(
            "SINGLE_CHECKBOX", "remember", "Remember me",
            [
                "inputType": "BOOLEAN", "appearance": "CHECKBOX",
                "richContent": [
                    "content": "Remember me, see {{privacy}}",
                    "replacements": ["privacy": Self.link("privacy", "https://app.example.com/privacy")],
                ],
            ])
        page.addSubmit("submit", words.submit)
        page.defaults = ["remember": true]
        return .page(page)
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard input.values["remember"]?.bool != nil else { return .unsound(.value) }
        let (user, refusal) = SignOnPolicy.check(input.text("user.username"), input.text("user.password"), services)
        guard refusal != nil else { return .success(user: user, amr: ["pwd"]) }
        return .refusal(FlowRefusal("checkPassword", "invalidValue", Self.words(services).refusal))
    }

    private static func link(_ text: String, _ address: String) -> JSONValue {
        ["type": "link", "value": .string(text), "href": .string(address), "target": "_blank"]
    }

    private static func rich(_ content: String, _ replacements: JSONObject?) -> JSONValue {
        var rich: JSONObject = ["content": .string(content)]
        rich["replacements"] = replacements.map { .object($0) }
        return ["type": "LABEL", "content": .string(content), "richContent": .object(rich)]
    }

    private static let shown: [JSONValue] = [
        ["type": "LABEL", "key": "plain", "content": "Plain <script>alert(1)</script> text"],
        rich(
            "Read {{terms}} or write to {{mail}}",
            [
                "terms": link("the terms", "https://app.example.com/terms"),
                "mail": link("us", "mailto:help@example.com"),
            ]),
        rich("No {{link}} here", nil),
        rich("An {{unknown}} one", ["other": link("other", "https://app.example.com/")]),
        rich("Not {{this}} one", ["this": link("click", "javascript:alert(1)")]),
        [
            "type": "AGREEMENT", "key": "terms", "inputType": "READ_ONLY_TEXT", "content": "You agree.",
            "titleEnabled": true, "title": "Terms", "agreement": ["id": "a1", "useDynamicAgreement": false],
            "enabled": true,
        ],
        [
            "type": "AGREEMENT", "key": "more-terms", "inputType": "READ_ONLY_TEXT", "content": "Still you agree.",
            "titleEnabled": false, "title": "Hidden", "agreement": ["id": "a2", "useDynamicAgreement": true],
            "enabled": true,
        ],
        [
            "type": "QR_CODE", "key": "qr",
            "content":
                "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
            "fallbackText": "JBSWY3DPEHPK3PXP",
        ],
        [
            "type": "IMAGE", "key": "logo", "imageUrl": "https://assets.example.com/logo.png", "description": "Logo",
            "hyperlinkUrl": "https://app.example.com/",
        ],
        [
            "type": "IMAGE", "key": "old-logo", "imageUrl": "http://assets.example.com/logo.png",
            "description": "Old logo",
        ],
    ]
}
