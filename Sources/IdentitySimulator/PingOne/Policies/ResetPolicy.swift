internal import JSON

/// Resets a forgotten password: the name, a code by mail, and a new password.
///
/// An unknown name leads to the same pages, but no code is sent.
struct ResetPolicy: FlowPolicy {
    private static let policy = PingOnePasswordPolicy(
        length: 8...255, unique: 5, repeated: 2, sets: ["0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"])

    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        var page = FlowPage("name", "Forgot your password?")
        page.addText("user.username", "Username", required: true)
        page.addSubmit("submit", "Send a code")
        page.defaults = run.request.loginHint.map { ["user.username": .string($0)] } ?? [:]
        return .page(page)
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch (run.page.place, input.event) {
        case ("name", _), ("code", "action"):
            if run.page.place == "name" { run.notes["name"] = input.text("user.username") }
            return code(&run, with: services)
        case ("code", _):
            guard let code = run.notes["code"], input.text("otp") == code else {
                return .refusal(FlowRefusal("recoverPassword", "invalidValue", "The code is not right"))
            }
            return .page(Self.password)
        default: return change(input.text("user.password"), run.notes["name"] ?? "", services)
        }
    }

    private func code(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        if let user = services.directory.user(run.notes["name"] ?? "") {
            let code = Identifier.code()
            run.notes["code"] = code
            services.send(code: code, to: user.email)
        }
        var page = FlowPage("code", "Check your mail")
        page.addText("otp", "Code", required: true)
        page.addSubmit("submit", "Confirm")
        page.addAction("resend", "Send another one")
        return .page(page)
    }

    private static let password: FlowPage = {
        var page = FlowPage("password", "Another password")
        page.add(
            "PASSWORD_VERIFY", "user.password", "New password",
            ["required": true, "verify": true, "passwordPolicy": .object(policy.json)])
        page.addSubmit("submit", "Save")
        return page
    }()

    /// Changes the password.
    ///
    /// Errors call the attribute `newPassword`, as the directory does; the form calls it `user.password`.
    private func change(_ password: String, _ name: String, _ services: FlowServices) -> FlowTurn {
        var unmet = Self.policy.unmet(password, profile: name)
        if services.directory.user(name)?.password == password { unmet.append("history") }
        guard unmet.isEmpty else {
            let message = "New password did not satisfy password policy requirements"
            return .refusal(
                .attributes(
                    "resetPassword", "newPassword: \(message)", [("newPassword", "INVALID_VALUE", message)],
                    inner: PingOnePasswordPolicy.inner(unmet)))
        }
        services.directory.change(name, password: password)
        services.directory.unlock(name)
        return .success(user: name, amr: ["otp", "pwd"])
    }
}
