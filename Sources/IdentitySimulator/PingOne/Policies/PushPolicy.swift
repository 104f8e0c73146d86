internal import Basics
internal import JSON

/// Name and password, then a push to a device that the user chooses; the device decides the result.
struct PushPolicy: FlowPolicy {
    /// The devices: id, title, and final status, which is reported from the second poll on.
    private static let devices = [
        ("phone", "Phone", "approved"), ("work-phone", "Phone of the office, which refuses", "denied"),
        ("old-phone", "Old phone, whose challenge expires", "expired"), ("tablet", "Tablet that is off", ""),
    ]

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(Self.choice(nil))
        }
        switch (run.page.place, input.event) {
        case ("choice", _):
            guard let id = input.values["device"]?["id"]?.string else {
                return .refusal(FlowRefusal("selectDevice", "validationError", "Choose a device"))
            }
            run.notes["status"] = Self.devices.first { $0.0 == id }?.2
            run.challenge = Identifier.random(20)
            run.polls = 0
            return .page(wait(run, services))
        case ("wait", "polling"): return statusReported(input.text("polling"), user, &run)
        case ("wait", _):
            run.challenge = nil
            var page = FlowPage("code", "Enter a code", .http)
            page.addText("otp", "Code", required: true)
            page.addSubmit("SUBMIT", "Confirm")
            return .page(page)
        default:
            guard input.text("otp") == services.settings.oneTimeCode else {
                return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right"))
            }
            return .success(user: user, amr: ["pwd", "otp", "mfa"])
        }
    }

    func status(_ run: inout FlowRun) -> ChallengeStatus {
        switch run.notes["status"] {
        case "expired": .expired
        case .some(let status) where !status.isEmpty && run.polls >= 2: .complete(status)
        default: .pending
        }
    }

    /// The turn after the client reports the status of the challenge.
    private func statusReported(_ status: String, _ user: String, _ run: inout FlowRun) -> FlowTurn {
        switch status {
        // A client may report a status only after it was told that status.
        case "approved" where run.notes["status"] == "approved" && run.polls >= 2:
            run.challenge = nil
            return .success(user: user, amr: ["pwd", "mfa"])
        case "denied" where run.notes["status"] == "denied":
            run.challenge = nil
            return .page(Self.choice("The device has refused the sign-in."))
        case "approved", "denied": return .unsound(.value)
        default:
            var refusal = FlowRefusal(FlowConnector.http.capability, .string(status), status)
            refusal.connector = FlowConnector.http.rawValue
            return .refusal(refusal)
        }
    }

    private static func choice(_ message: String?) -> FlowPage {
        var page = FlowPage("choice", "Confirm on a device")
        if let message { page.addLabel(message) }
        let options = devices.map { id, title, _ -> JSONValue in
            [
                "type": "MOBILE", "id": .string(id), "title": .string(title), "description": "",
                "default": .bool(id == "phone"), "iconSrc": "",
            ]
        }
        page.add("DEVICE_AUTHENTICATION", "device", "Devices", ["required": true, "options": .array(options)])
        return page
    }

    private func wait(_ run: FlowRun, _ services: FlowServices) -> FlowPage {
        let settings = services.settings.pingOne
        var page = FlowPage("wait", "Waiting for your device", .http)
        page.addLabel("Your device was asked.")
        page.add(
            "POLLING", "polling", nil,
            [
                "pollInterval": JSONValue(settings.pollInterval.milliseconds),
                "pollRetries": JSONValue(Int64(settings.pollRetries)), "pollChallengeStatus": true,
                "challenge": .string(run.challenge ?? ""),
            ])
        page.addAction("USE_CODE", "Use a code", type: "FLOW_BUTTON", bare: true)
        return page
    }
}

/// Name and password, then a wait for an approval, for which the client polls the flow itself.
///
/// `demo` is approved by the third poll, `alice` has to confirm a page first, `bob` is never approved.
struct ApprovalPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(SignOnFormsPolicy.page(run)) }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(wait(services))
        }
        guard run.page.place == "approval" else { return .success(user: user, amr: ["pwd", "mfa"]) }
        guard input.event == "polling" else { return .failure("access_denied") }
        run.polls += 1
        switch (input.text("polling"), user) {
        case ("continue", "alice") where run.polls >= 3:
            var page = FlowPage("confirm", "Approved")
            page.addLabel("Your manager has approved.")
            page.addSubmit("submit", "Go on")
            return .page(page)
        case ("continue", "alice"): return .rewind("rewindStateToSpecificRenderedUI")
        case ("continue", _) where user != "bob" && run.polls >= 3: return .success(user: user, amr: ["pwd", "mfa"])
        case ("continue", _): return .rewind("rewindStateToLastRenderedUI")
        default:
            let status = input.text("polling")
            var refusal = FlowRefusal(FlowConnector.http.capability, .string(status), status)
            refusal.connector = FlowConnector.http.rawValue
            return .refusal(refusal)
        }
    }

    /// The waiting page, whose numbers are texts, as on some connectors.
    private func wait(_ services: FlowServices) -> FlowPage {
        let settings = services.settings.pingOne
        var page = FlowPage("approval", "Waiting for approval", .http)
        page.add(
            "POLLING", "polling", nil,
            [
                "pollInterval": .string(String(settings.pollInterval.milliseconds)),
                "pollRetries": .string(String(settings.pollRetries)),
            ])
        page.addAction("CANCEL", "Cancel", type: "FLOW_BUTTON", bare: true)
        return page
    }
}
