internal import Basics
internal import JSON

/// A sign-in among fields that are unknown to SDKs or malformed, then oddities elsewhere.
///
/// `demo` gets a message without a form, `alice` refusals in every odd shape, `bob` a button of an unknown type and
/// behind it an empty page.
struct OddPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        var page = SignOnPolicy.page(run)
        page.fields = Self.odd + page.fields
        page.inputs = [["key": "fidoChallenge", "value": "{\"challenge\":[1,-2]}"]]
        page.defaults = .null
        return .page(page)
    }

    private static let odd: [JSONValue] = [
        .null, "a text", 7, [], [:], ["type": "TEXT", "label": "Without key"], ["key": "without-type"],
        ["type": "TEXT", "key": "twice", "label": "First"], ["type": "TEXT", "key": "twice", "label": "Second"],
        ["type": "ERROR_DISPLAY"], ["type": "RECAPTCHA_V2", "key": "captcha"], ["type": "DIVIDER"],
        ["type": "EMPTY_FIELD"], ["type": "TEXTBLOB", "content": "Blob"], ["type": "SLATE_TEXTBLOB", "content": []],
        ["type": "HOLOGRAM", "key": "hologram", "data": ["depth": 3]],
        [
            "type": "SINGLE_SELECT_CARD", "inputType": "SINGLE_SELECT", "key": "card", "label": "Card",
            "options": [["label": "One", "value": "1"], ["label": "Two", "value": "2"]],
        ],
        ["type": "DROPDOWN", "key": "no-options", "label": "Nothing to choose"],
        ["type": "FIDO2", "key": "fido-else", "action": "SOMETHING"],
    ]

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch run.page.place {
        case "sign-on":
            let (user, refusal) = SignOnPolicy.check(input.text("username"), input.text("password"), services)
            if let refusal { return refusal }
            run.user = user
            return .page(Self.second(user))
        case "refusals":
            run.polls += 1
            return run.polls <= Self.refusals.count
                ? .refusal(Self.refusals[run.polls - 1]) : .success(user: run.user ?? "", amr: ["pwd"])
        case "button":
            var page = FlowPage("nothing", "", .http)
            page.hasForm = false
            page.defaults = nil
            return .page(page)
        default: return .success(user: run.user ?? "", amr: ["pwd"])
        }
    }

    private static func second(_ user: String) -> FlowPage {
        switch user {
        case "alice":
            var page = FlowPage("refusals", "Refusals")
            page.addText("user.email", "Email")
            page.addSubmit("submit", "Go on")
            return page
        case "bob":
            var page = FlowPage("button", "A button", .http)
            page.add("BUTTON", "press", "Press me")
            page.defaults = nil
            return page
        default:
            var page = FlowPage("message", "", .http)
            page.hasForm = false
            page.defaults = nil
            page.more = [
                "capabilityName": "customMessage", "customMessage": "Welcome back.", "buttonText": "Go on",
                "showContinueButton": true,
            ]
            return page
        }
    }

    /// Errors with a number as code and no details; details without raw response; a search result as details; another
    /// spelling.
    private static let refusals: [FlowRefusal] = {
        let details: [JSONValue?] = [
            nil, [["message": "Only this"]],
            [["rawResponse": ["statusCode": 200, "_embedded": ["users": []], "count": 0]]],
            [
                [
                    "rawResponse": [
                        "code": "INVALID_DATA",
                        "details": [
                            [
                                "code": "INVALID_VALUE", "target": "email", "message": "This address is not good",
                                "innererror": ["unsatisfiedRequirements": ["length"]],
                            ]
                        ],
                    ]
                ]
            ],
            [.null, "text", ["rawResponse": "text"], ["rawResponse": ["code": 7, "details": "none"]]],
        ]
        return details.enumerated().map { index, details in
            var refusal = FlowRefusal("userLookup", index == 0 ? 400 : "invalidValue", "  Refusal \(index + 1)\n")
            refusal.details = details
            return refusal
        }
    }()
}

/// Asks which part is to be too large, and sends it.
///
/// `nothing` is a large page that the user can sign in on; `form` is a page of twenty fields that is shown again after
/// every answer.
struct HugePolicy: FlowPolicy {
    private static let parts = ["nothing", "fields", "page", "depth", "form"]

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        .page(FlowPage.choice("What is too large?", "part", Self.parts))
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard run.page.place == "choice" else {
            // The page changes each time: the same page would mean a refusal of the answer.
            if run.page.place == Self.form.place { return .page(Self.otherForm) }
            if run.page.place == Self.otherForm.place { return .page(Self.form) }
            return SignOnFormsPolicy.signIn(input, in: &run, with: services)
                ?? .success(user: run.user ?? "", amr: ["pwd"])
        }
        var page = SignOnFormsPolicy.page(run)
        func label(_ count: Int) { page.addLabel(String(repeating: "x", count: count)) }
        switch input.text("part") {
        case "fields": for _ in 0..<201 { label(1) }
        case "page": for _ in 0..<5 { label(60_000) }
        case "depth": page.fields.append((0..<80).reduce("x") { value, _ in [value] })
        case "form": page = Self.form
        default:
            label(48 << 10)
            label(48 << 10)
        }
        return .page(page)
    }
}

extension HugePolicy {
    /// Twenty fields of eight types, and the button.
    private static let form = twentyFields("form", "Twenty fields")
    private static let otherForm = twentyFields("other form", "Twenty fields again")

    private static func twentyFields(_ place: String, _ name: String) -> FlowPage {
        var page = FlowPage(place, name)
        for part in ["given", "family", "nick", "street", "city", "postcode", "company", "department"] {
            page.addText("user.\(part)", "Your \(part)", required: true, ["validation": ["regex": "^[^<>]+$"]])
        }
        page.addPassword("user.password", "Password", required: true)
        let values = ["one", "two", "three", "four"]
        let options = JSONValue.array(values.map { ["label": .string($0), "value": .string($0)] })
        for (type, input) in [("DROPDOWN", "SINGLE_SELECT"), ("RADIO", "SINGLE_SELECT"), ("CHECKBOX", "MULTI_SELECT")] {
            for part in ["first", "second"] {
                page.add(type, "\(type).\(part)", "\(type) \(part)", ["inputType": .string(input), "options": options])
            }
        }
        page.add("PHONE_NUMBER", "user.phone", "Phone", ["defaultCountryCode": "GB"])
        for part in ["terms", "news"] {
            page.add("SINGLE_CHECKBOX", part, "I agree to \(part)", ["inputType": "BOOLEAN"])
        }
        page.addLabel("All of it can be changed later.")
        page.add("COMBOBOX", "interests", "Interests", ["inputType": "MULTI_SELECT", "options": options])
        page.addSubmit("submit", "Go on")
        return page
    }
}

/// Asks which link shall lead to another host, and sends a page with it; `none` is a page that the user can sign in on.
///
/// `other-host` is the same simulator under another name, so that a request there would be seen.
struct ForeignLinksPolicy: FlowPolicy {
    private static let parts = [
        "none", "other-host", "http", "script", "port", "user", "continue", "self", "provider",
    ]

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        .page(FlowPage.choice("Which link leads elsewhere?", "link", Self.parts))
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard run.page.place == "choice" else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services)
                ?? .success(user: run.user ?? "", amr: ["pwd"])
        }
        var page = SignOnFormsPolicy.page(run)
        let own = services.address("davinci/" + page.connector.path.joined(separator: "/"))
        let base = services.call.base
        let host = base.split(separator: "/").last ?? ""
        let name = host.prefix { $0 != ":" }
        let other = Self.swapped(own, name, name == "localhost" ? "127.0.0.1" : "localhost")
        switch input.text("link") {
        case "other-host": page.links["next"] = other
        case "http": page.links["next"] = "http://auth.pingone.example/davinci/next"
        case "script": page.links["next"] = "javascript:alert(1)"
        case "port": page.links["next"] = Self.swapped(own, host, "\(name):1")
        case "user": page.links["next"] = Self.swapped(own, host, "\(host)@evil.example")
        case "continue": page.links["continue"] = other + "/continue"
        case "self": page.links["self"] = other
        case "provider":
            page.hasReturn = true
            page.add(
                "SOCIAL_LOGIN_BUTTON", "evil-btn", "Sign in with Evil",
                [
                    "idpId": "evil", "idpType": "EVIL", "idpEnabled": true,
                    "links": ["authenticate": ["href": "https://evil.example/authorize"]],
                ])
        default: break
        }
        return .page(page)
    }

    private static func swapped(_ address: String, _ part: Substring, _ other: String) -> String {
        guard let place = address.firstRange(ofText: String(part)) else { return address }
        return address[..<place.lowerBound] + other + address[place.upperBound...]
    }
}

extension FlowPage {
    /// A page that asks how the policy shall continue.
    fileprivate static func choice(_ question: String, _ key: String, _ values: [String]) -> FlowPage {
        var page = FlowPage("choice", question)
        let options = values.map { value -> JSONValue in ["label": .string(value), "value": .string(value)] }
        page.add(
            "DROPDOWN", key, question, ["inputType": "SINGLE_SELECT", "required": true, "options": .array(options)])
        page.addSubmit("submit", "Go on")
        page.defaults = .object([key: .string(values[0])])
        return page
    }
}
