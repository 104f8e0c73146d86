internal import Basics
internal import Cryptography
internal import JSON

/// Name and password and a new credential of the browser, or a signature of a registered one.
///
/// Without a name a credential of any user is accepted. A user who cancels gets to the one-time code.
struct PasskeyPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(Self.first) }

    private static let first: FlowPage = {
        var page = FlowPage("name", "Sign on with a passkey")
        page.addText("user.username", "Username")
        page.addSubmit("submit", "Use a passkey")
        page.addAction("register", "Make a passkey")
        return page
    }()

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch (run.page.place, input.event) {
        case ("name", "action"): return .page(SignOnFormsPolicy.page(run))
        case ("name", _):
            run.notes["name"] = input.text("user.username")
            return .page(question(&run, nil, services))
        case ("sign-on-form", _):
            if let turn = SignOnFormsPolicy.signIn(input, in: &run, with: services) { return turn }
            return .page(question(&run, run.user, services))
        case ("code", _):
            guard let user = run.user ?? run.notes["name"], services.directory.user(user) != nil,
                input.text("otp") == services.settings.oneTimeCode
            else { return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right")) }
            return .success(user: user, amr: ["otp"])
        case (_, "action") where input.key != "cancel":
            var page = FlowPage("code", "Enter a code")
            page.addLabel("The browser said \(input.key).")
            page.addText("otp", "Code", required: true)
            page.addSubmit("submit", "Confirm")
            return .page(page)
        case (_, "action"): return .page(Self.first)
        default: return check(input, run, services)
        }
    }

    // MARK: The question

    /// Makes the page that requests a new credential of a user, or a signature.
    private func question(_ run: inout FlowRun, _ user: String?, _ services: FlowServices) -> FlowPage {
        let challenge = SecureRandom.bytes(32)
        run.notes["challenge"] = Base64.encode(challenge)
        let known = (user ?? run.notes["name"]).map { services.directory.credentials.ids(of: $0) } ?? []
        let list = JSONValue.array(known.map { ["type": "public-key", "id": Self.signed($0)] })
        var page = FlowPage(user == nil ? "authenticate" : "register", "Your passkey")
        var options: JSONObject = ["challenge": Self.signed(challenge), "timeout": 120_000]
        if let user {
            options["rp"] = ["id": .string(services.call.relyingParty(services.settings)), "name": "Simulator"]
            options["user"] = [
                "id": Self.signed(Array(CredentialQuestion.handle(of: user).utf8)), "name": .string(user),
                "displayName": .string(user),
            ]
            // Some numbers are sent as text.
            options["pubKeyCredParams"] = [
                ["type": "public-key", "alg": "-7"], ["type": "public-key", "alg": -8],
                ["type": "public-key", "alg": -257],
            ]
            options["authenticatorSelection"] = ["residentKey": "required", "userVerification": "preferred"]
            options["attestation"] = "none"
            if !known.isEmpty { options["excludeCredentials"] = list }
        } else {
            options["rpId"] = .string(services.call.relyingParty(services.settings))
            options["userVerification"] = "preferred"
            if !known.isEmpty { options["allowCredentials"] = list }
        }
        let member = user == nil ? "publicKeyCredentialRequestOptions" : "publicKeyCredentialCreationOptions"
        page.add(
            "FIDO2", "fido2", "Continue",
            [
                "action": user == nil ? "AUTHENTICATE" : "REGISTER", "trigger": "BUTTON", "required": true,
                member: .object(options),
            ])
        page.addAction("cancel", "Another way")
        return page
    }

    private static func signed(_ bytes: [UInt8]) -> JSONValue {
        .array(bytes.map { JSONValue(Int64(Int8(bitPattern: $0))) })
    }

    // MARK: The answer

    private func check(_ input: FlowInput, _ run: FlowRun, _ services: FlowServices) -> FlowTurn {
        let isNew = run.page.place == "register"
        let place = isNew ? "attestationValue" : "assertionValue"
        guard let value = input.values["fido2"], value.object?.names == [place],
            let text = Self.outcome(value[place], isNew: isNew)
        else { return .unsound(.credential) }
        let name = run.notes["name"].flatMap { $0.isEmpty ? nil : $0 }
        let question = CredentialQuestion(
            relyingParty: services.call.relyingParty(services.settings),
            challenge: Base64.decode(run.notes["challenge"] ?? "") ?? [], store: services.directory.credentials,
            user: isNew ? run.user : name, isWrapped: false)
        let outcome = isNew ? question.register(text, run.user ?? "") : question.authenticate(text)
        guard case .credential(let user) = outcome else {
            var refusal = FlowRefusal("assertion", "INVALID_DATA", "The passkey could not be verified")
            refusal.connector = "pingOneMfaConnector"
            return .refusal(refusal)
        }
        return .success(user: user, amr: isNew ? ["pwd", "hwk"] : ["hwk", "mfa"])
    }

    /// The parts of a credential, in the form that the check of the journeys reads; nil if a part is not in standard
    /// base64.
    private static func outcome(_ credential: JSONValue?, isNew: Bool) -> String? {
        func bytes(_ name: String) -> [UInt8]? {
            credential?["response"]?[name]?.string.flatMap { text in
                text.utf8.count % 4 == 0 ? Base64.decode(text) : nil
            }
        }
        func numbers(_ bytes: [UInt8]) -> String {
            bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ",")
        }
        guard let credential, credential["type"] == "public-key", let id = credential["id"]?.string,
            let raw = credential["rawId"]?.string.flatMap({ Base64.decode($0) }), Base64URL.encode(raw) == id,
            let client = bytes("clientDataJSON")
        else { return nil }
        var parts = [String(decoding: client, as: UTF8.self)]
        for name in isNew ? ["attestationObject"] : ["authenticatorData", "signature"] {
            guard let part = bytes(name) else { return nil }
            parts.append(numbers(part))
        }
        parts.append(id)
        guard !isNew, let handle = credential["response"]?["userHandle"] else {
            return isNew ? parts.joined(separator: "::") : nil
        }
        if !handle.isNull {
            guard let user = bytes("userHandle") else { return nil }
            parts.append(String(decoding: user, as: UTF8.self))
        }
        return parts.joined(separator: "::")
    }
}
