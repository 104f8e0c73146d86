internal import JSON

/// A one-time code for a user with a session; without a session name and password come first.
struct StepUpPolicy: FlowPolicy {
    var isStepUp: Bool { true }

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let session = services.session else { return .page(SignOnFormsPolicy.page(run)) }
        run.user = session.user
        return .page(Self.code)
    }

    private static var code: FlowPage {
        var page = FlowPage("one-time-code", "One-time code")
        page.addText("otp", "One-time code", required: true)
        page.addSubmit("submit", "Confirm")
        return page
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        guard let user = run.user else {
            return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .page(Self.code)
        }
        guard input.text("otp") == services.settings.oneTimeCode else {
            return .refusal(FlowRefusal("validateOTP", "invalidValue", "The code is not right"))
        }
        return .success(user: user, amr: ["pwd", "otp", "mfa"])
    }
}
