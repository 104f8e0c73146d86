internal import JSON

/// Name and password, then a code of a registered device, or of a device that the user registers in the flow.
///
/// `demo` has devices of three kinds, `alice` two that look alike and are both the default, `bob` none.
struct MfaPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? choose(run.user)
        }
        switch run.page.place {
        case "devices":
            if input.event == "action" { return .page(Self.kinds) }
            guard let device = input.values["device"] else { return .refusal(Self.missing) }
            return code(device["type"]?.string ?? "", user, to: nil, in: &run, with: services)
        case "kinds":
            guard let kind = input.values["device"]?.string else { return .refusal(Self.missing) }
            return ["SMS", "VOICE"].contains(kind)
                ? .page(Self.phone(kind)) : code(kind, user, to: nil, in: &run, with: services)
        case "phone-SMS", "phone-VOICE":
            let number = input.values["user.phone"]?["phoneNumber"]?.string ?? ""
            guard number.filter(\.isNumber).count >= 6 else {
                let message = "The phone number is not valid"
                return .refusal(.attributes("createDevice", message, [("phone", "INVALID_VALUE", message)]))
            }
            return code(String(run.page.place.dropFirst(6)), user, to: number, in: &run, with: services)
        default:
            if input.event == "action" { return choose(user) }
            guard input.text("otp") == run.notes["code"] else {
                return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right"))
            }
            return .success(user: user, amr: ["pwd", "otp", "mfa"])
        }
    }

    private static var missing: FlowRefusal { FlowRefusal("selectDevice", "validationError", "Choose a device") }

    // MARK: Devices

    /// Type, title, description, and true for the default device.
    private static let devices: [String: [(String, String, String, Bool)]] = [
        "demo": [
            ("SMS", "Text message", "***380", true), ("EMAIL", "Email", "d***@example.com", false),
            ("TOTP", "Authenticator app", "", false),
        ],
        "alice": [("SMS", "Text message", "***111", true), ("SMS", "Text message", "***222", true)],
    ]

    private func choose(_ user: String?) -> FlowTurn {
        guard let user, let devices = Self.devices[user] else { return .page(Self.kinds) }
        let options = devices.enumerated().map { index, device -> JSONValue in
            [
                "type": .string(device.0), "title": .string(device.1), "description": .string(device.2),
                "id": .string(PingOneID.uuid("device \(user) \(index)")), "default": .bool(device.3),
                "iconSrc": .string("https://assets.example.com/\(device.0.lowercased()).svg"),
            ]
        }
        var page = FlowPage("devices", "Choose a device")
        page.add(
            "DEVICE_AUTHENTICATION", "device", "Devices", ["required": true, "options": .array(options)])
        page.addAction("another", "Another device")
        return .page(page)
    }

    private static let kinds: FlowPage = {
        let options = ["EMAIL", "SMS", "VOICE", "TOTP", "MOBILE", "FIDO2"].map { kind -> JSONValue in
            ["type": .string(kind), "title": .string("By \(kind)"), "description": "", "iconSrc": ""]
        }
        var page = FlowPage("kinds", "Register a device")
        page.add("DEVICE_REGISTRATION", "device", "Kinds", ["required": true, "options": .array(options)])
        return page
    }()

    /// The page for a phone number; for a voice call its prefilled value is in the older form.
    private static func phone(_ kind: String) -> FlowPage {
        var page = FlowPage("phone-" + kind, "Your phone")
        page.add(
            "PHONE_NUMBER", "user.phone", "Phone",
            [
                "required": true, "defaultCountryCode": "GB", "validatePhoneNumber": true,
                "showExtension": .bool(kind == "VOICE"), "extensionLabel": "Extension",
            ])
        page.addSubmit("submit", "Send a code")
        page.defaults = kind == "VOICE" ? ["user.phone": "CA-1-+17783186380-7783186380"] : [:]
        return page
    }

    /// Sends a code by mail or phone; the code of an authenticator app is the simulator's one-time code.
    private func code(
        _ kind: String, _ user: String, to number: String?, in run: inout FlowRun, with services: FlowServices
    ) -> FlowTurn {
        let code = kind == "EMAIL" ? Identifier.code() : services.settings.oneTimeCode
        run.notes["code"] = code
        if let address = kind == "EMAIL" ? services.directory.user(user)?.email : number {
            services.send(code: code, to: address)
        }
        var page = FlowPage("code", "Enter a code")
        page.addText("otp", "Code", required: true)
        page.addSubmit("submit", "Confirm")
        page.addAction("devices", "Another device")
        return .page(page)
    }
}

extension Identifier {
    /// Six random digits.
    static func code() -> String {
        random(16).utf8.prefix(6).map { String($0 % 10) }.joined()
    }
}
