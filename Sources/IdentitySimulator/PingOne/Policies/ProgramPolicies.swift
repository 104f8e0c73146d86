internal import Basics
internal import JSON

/// Name and password, then signals about the device, which an SDK on the page collects.
///
/// `demo` is asked by a form, `alice` by the text field of older flows, `bob` by custom HTML with other options.
/// Signals that contain `high` lead to the one-time code.
struct ProtectPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(page(run.user ?? ""))
        }
        guard run.page.place != "code" else {
            guard input.text("otp") == services.settings.oneTimeCode else {
                return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right"))
            }
            return .success(user: user, amr: ["pwd", "otp", "mfa"])
        }
        let signals = input.text(Self.key(user))
        guard !signals.isEmpty else {
            return .refusal(FlowRefusal("createRiskEvaluation", "validationError", "No signals were sent"))
        }
        guard signals.firstRange(ofText: "high") != nil else { return .success(user: user, amr: ["pwd"]) }
        var page = FlowPage("code", "Enter a code")
        page.addText("otp", "Code", required: true)
        page.addSubmit("submit", "Confirm")
        return .page(page)
    }

    private static func key(_ user: String) -> String {
        switch user {
        case "alice": "protectsdk"
        case "bob": "riskSDK"
        default: "deviceRisk"
        }
    }

    private func page(_ user: String) -> FlowPage {
        var page = FlowPage("signals", "Checking your device", user == "bob" ? .http : .forms)
        switch user {
        case "alice": page.addText("protectsdk", "")
        case "bob":
            page.add(
                "PROTECT", "riskSDK", nil,
                ["behavioralDataCollection": false, "universalDeviceIdentification": true])
        default: page.add("PROTECT", "deviceRisk", nil)
        }
        page.addSubmit("submit", "Go on")
        return page
    }
}

/// Name and password, then metadata for an SDK of another vendor, whose error leads to a page that shows it.
///
/// For `alice` the metadata has the members `TYPE` and `OPERATION`.
struct MetadataPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(page(run.user ?? ""))
        }
        guard run.page.place == "metadata" else { return .page(page(user)) }
        guard let result = input.values["sdkMetadata"] else { return .unsound(.value) }
        // Ping's SDK for JavaScript sends the error without the member `error` around it.
        let code = (result["error"]?["code"] ?? (result.object?.names == ["code", "message"] ? result["code"] : nil))
        guard let code = code?.string else { return .success(user: user, amr: ["pwd", "sdk"]) }
        var failed = FlowPage("failed", "That did not work", .http)
        failed.addLabel("The program said \(code).")
        failed.addSubmit("RETRY", "Try again")
        return .page(failed)
    }

    private func page(_ user: String) -> FlowPage {
        var page = FlowPage("metadata", "Metadata", .integrator)
        let payload: JSONValue =
            user == "alice"
            ? ["TYPE": "VENDOR", "OPERATION": "verify", "configs": ["level": 2]]
            : ["sessionToken": "abc123", "nested": ["n": 1]]
        page.add("METADATA", "sdkMetadata", nil, ["payload": payload])
        return page
    }
}

/// Name and password, then face recognition: `bob` is enrolled, all other users are recognised.
///
/// An error of the SDK leads to the one-time code.
struct RecognizePolicy: FlowPolicy {
    private static let names: Set = [
        "signedJwt", "clientState", "recognizeId", "devicePublicSigningKey", "clientError", "clientErrorCode",
    ]

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(page(run.user ?? ""))
        }
        guard run.page.place == "recognize" else {
            guard input.text("otp") == services.settings.oneTimeCode else {
                return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right"))
            }
            return .success(user: user, amr: ["pwd", "otp", "mfa"])
        }
        guard let result = input.values["recognize"]?.object, Set(result.names) == Self.names,
            result.allSatisfy({ $0.value.string != nil })
        else { return .unsound(.value) }
        if result["clientError"] == "", result["signedJwt"] != "", result["recognizeId"] != "" {
            return .success(user: user, amr: ["pwd", "face", "mfa"])
        }
        var page = FlowPage("code", "Enter a code")
        page.addText("otp", "Code", required: true)
        page.addSubmit("submit", "Confirm")
        return .page(page)
    }

    private func page(_ user: String) -> FlowPage {
        var page = FlowPage("recognize", "Look at the camera")
        page.add(
            "RECOGNIZE", "recognize", nil,
            [
                "operationType": user == "bob" ? "ENROLL" : "AUTHENTICATE", "host": "https://recognize.example.com",
                "apiKey": "a-key-of-the-environment", "transactionData": "sign-on", "audience": "simulator",
                "clientState": "", "generateClientState": .bool(user == "bob"), "mobileSDKOptions": [:],
            ])
        return page
    }
}
