internal import Basics
internal import JSON

/// Registers a user by a form with every field that takes data, a code by mail, and a secret number.
struct RegistrationPolicy: FlowPolicy {
    /// The policy of the password, which is inside of its field.
    private static let password = PingOnePasswordPolicy(
        length: 8...64, unique: 5, repeated: 2,
        sets: ["ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"])
    /// The policy of the number, which is at the root, as in older environments.
    private static let number = PingOnePasswordPolicy(length: 4...8, unique: 2, repeated: 2, sets: ["0123456789"])

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(Self.form) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch (run.page.place, input.event) {
        case ("form", "action"): return .failure("access_denied")
        case ("form", _): return submit(input, in: &run, with: services)
        case ("mail", "action"): return mail(&run, with: services)
        case ("mail", _):
            guard input.text("otp") == run.notes["code"] else {
                return .refusal(FlowRefusal("verifyEmail", "invalidValue", "The code is not right"))
            }
            return .page(Self.secret)
        default: return create(input, in: &run, with: services)
        }
    }

    // MARK: The form

    private static let form: FlowPage = {
        var page = FlowPage("form", "Register")
        page.description = "All fields of a form"
        page.add(
            "LABEL", "intro", nil,
            [
                "content": "See our terms",
                "richContent": [
                    "content": "See our {{terms}}",
                    "replacements": [
                        "terms": [
                            "type": "link", "value": "terms", "href": "https://app.example.com/terms",
                            "target": "_blank",
                        ]
                    ],
                ],
            ])
        page.addText("user.username", "Username", required: true)
        page.addText(
            "user.email", "Email", required: true,
            ["validation": ["regex": "^[^@]+@[^@]+$", "errorMessage": "This is no mail address"]])
        page.add(
            "PASSWORD_VERIFY", "user.password", "Password",
            ["required": true, "verify": true, "passwordPolicy": .object(password.json)])
        func choice(of values: [String], _ key: String, _ label: String, type: String, input: String) {
            let options = values.map { value -> JSONValue in ["label": .string(value), "value": .string(value)] }
            page.add(type, key, label, ["inputType": .string(input), "options": .array(options)])
        }
        choice(of: ["CH", "DE", "GB"], "user.country", "Country", type: "DROPDOWN", input: "SINGLE_SELECT")
        choice(of: ["free", "pro"], "plan", "Plan", type: "RADIO", input: "SINGLE_SELECT")
        choice(of: ["news", "offers", "events"], "topics", "Topics", type: "CHECKBOX", input: "MULTI_SELECT")
        choice(of: ["music", "sports"], "interests", "Interests", type: "COMBOBOX", input: "MULTI_SELECT")
        page.add(
            "PHONE_NUMBER", "user.phone", "Phone",
            [
                "defaultCountryCode": "GB", "validatePhoneNumber": true, "showExtension": true,
                "extensionLabel": "Extension",
            ])
        page.add(
            "AGREEMENT", "agreement", nil,
            [
                "inputType": "READ_ONLY_TEXT", "content": "We keep what you say.", "titleEnabled": true,
                "title": "Terms", "agreement": ["id": "a1", "useDynamicAgreement": false], "enabled": true,
            ])
        page.add(
            "SINGLE_CHECKBOX", "terms", "I agree",
            [
                "inputType": "BOOLEAN", "required": true, "appearance": "SWITCH",
                "errorMessage": "You have to agree to go on",
            ])
        page.addSubmit("submit", "Register")
        page.addAction("cancel", "Cancel")
        page.defaults = ["user.country": "DE", "topics": "news", "interests": "", "user.username": ""]
        return page
    }()

    private func submit(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        let (name, mail) = (input.text("user.username"), input.text("user.email"))
        guard input.values["terms"] == true, ["CH", "DE", "GB"].contains(input.text("user.country")) else {
            return .refusal(FlowRefusal("createUser", "validationError", "terms or country is missing"))
        }
        var wrong: [(target: String, code: String, message: String)] = []
        if name.isEmpty || services.directory.user(name) != nil {
            wrong.append(("username", "UNIQUENESS_VIOLATION", "is unique but a non-unique value was provided"))
        }
        if !mail.contains("@") || !mail.contains(".") {
            wrong.append(("email", "INVALID_VALUE", "must be a well-formed email address"))
        }
        let unmet = Self.password.unmet(input.text("user.password"), profile: name)
        if !unmet.isEmpty {
            wrong.append(
                ("password", "INVALID_VALUE", "User password did not satisfy password policy requirements"))
        }
        guard wrong.isEmpty else {
            let message = wrong.map { "\($0.target): \($0.message)" }.joined(separator: ", ")
            return .refusal(
                .attributes("createUser", message, wrong, inner: PingOnePasswordPolicy.inner(unmet)))
        }
        run.notes["name"] = name
        run.notes["mail"] = mail
        run.notes["password"] = input.text("user.password")
        return self.mail(&run, with: services)
    }

    // MARK: After the form

    private func mail(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        let code = Identifier.code()
        run.notes["code"] = code
        services.send(code: code, to: run.notes["mail"] ?? "")
        var page = FlowPage("mail", "Check your mail")
        page.addText("otp", "Code", required: true)
        page.addSubmit("submit", "Confirm")
        page.addAction("resend", "Send another one")
        return .page(page)
    }

    private static let secret: FlowPage = {
        var page = FlowPage("number", "A number to keep secret")
        page.addPassword("pin", "Number", required: true)
        page.addSubmit("submit", "Finish")
        page.more = ["passwordPolicy": .object(number.json)]
        return page
    }()

    private func create(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        let unmet = Self.number.unmet(input.text("pin"), profile: nil)
        guard unmet.isEmpty, let name = run.notes["name"] else {
            let message = "The number does not suit"
            return .refusal(
                .attributes(
                    "setPin", message, [("pin", "INVALID_VALUE", message)], inner: PingOnePasswordPolicy.inner(unmet)))
        }
        let user = SimulatedUser(
            name: name, password: run.notes["password"] ?? "", givenName: name, familyName: "New",
            email: run.notes["mail"] ?? "")
        guard services.directory.create(user) else {
            let message = "is unique but a non-unique value was provided"
            return .refusal(
                .attributes("createUser", "username: \(message)", [("username", "UNIQUENESS_VIOLATION", message)]))
        }
        return .success(user: name, amr: ["pwd"])
    }
}

/// The rules for passwords; repeated characters are counted in a row, as PingOne does.
struct PingOnePasswordPolicy: Sendable {
    let length: ClosedRange<Int>
    let unique: Int
    let repeated: Int
    /// The character sets; a password needs a character of each.
    let sets: [String]

    var json: JSONObject {
        [
            "id": .string(PingOneID.uuid("password policy")), "name": "Standard", "description": "For everybody",
            "excludesProfileData": true, "notSimilarToCurrent": true, "excludesCommonlyUsed": true,
            "history": ["count": 6, "retentionDays": 365], "lockout": ["failureCount": 5, "durationSeconds": 300],
            "maxAgeDays": 182, "minAgeDays": 1, "populationCount": 1, "default": true,
            "length": [
                "min": JSONValue(Int64(length.lowerBound)), "max": JSONValue(Int64(length.upperBound)),
            ],
            "minUniqueCharacters": JSONValue(Int64(unique)), "maxRepeatedCharacters": JSONValue(Int64(repeated)),
            "minCharacters": .object(JSONObject(sets.map { ($0, 1) })),
            "createdAt": "2024-01-01T00:00:00.000Z", "updatedAt": "2024-01-01T00:00:00.000Z",
        ]
    }

    /// The names of the rules that a password breaks; a name may occur several times, once for each missing set.
    func unmet(_ password: String, profile: String?) -> [String] {
        var unmet: [String] = []
        if !length.contains(password.unicodeScalars.count) { unmet.append("length") }
        if Set(password.unicodeScalars).count < unique { unmet.append("minUniqueCharacters") }
        var (last, run): (Unicode.Scalar?, Int) = (nil, 0)
        for scalar in password.unicodeScalars {
            run = scalar == last ? run + 1 : 1
            last = scalar
            if run > repeated, !unmet.contains("maxRepeatedCharacters") { unmet.append("maxRepeatedCharacters") }
        }
        for set in sets where !password.unicodeScalars.contains(where: { set.unicodeScalars.contains($0) }) {
            unmet.append("minCharacters")
        }
        if let profile, !profile.isEmpty, password.lowercased().firstRange(ofText: profile.lowercased()) != nil {
            unmet.append("excludesProfileData")
        }
        return unmet
    }

    /// The broken rules in the form of an error; a name that occurs twice has one message.
    static func inner(_ unmet: [String]) -> JSONObject {
        var inner: JSONObject = ["unsatisfiedRequirements": .array(unmet.map { .string($0) })]
        for name in unmet { inner[name] = .string("The provided password does not meet \(name)") }
        return inner
    }
}
