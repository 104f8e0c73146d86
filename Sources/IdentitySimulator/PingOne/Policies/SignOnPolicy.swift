internal import JSON

/// A page of custom HTML: name and password, two submit buttons and links, with keys of the author's choice.
struct SignOnPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(Self.page(run)) }

    static func page(_ run: FlowRun) -> FlowPage {
        var page = FlowPage("sign-on", "Sign On", .http)
        page.addText("username", "Username")
        page.addPassword("password", "Password")
        page.addSubmit("SIGNON", "Sign On")
        page.addSubmit("REGISTER", "Register")
        page.addAction("TROUBLE", "Having trouble signing on?", type: "FLOW_BUTTON", bare: true)
        page.addAction("HELP", "Help", bare: true)
        page.defaults = ["username": .string(run.request.loginHint ?? ""), "password": ""]
        return page
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch (run.page.place, input.key) {
        case ("sign-on", "SIGNON"), ("sign-on", ""):
            let (user, refusal) = Self.check(input.text("username"), input.text("password"), services)
            return refusal ?? .success(user: user, amr: ["pwd"])
        case ("sign-on", "REGISTER"): return .page(Self.registration)
        case ("sign-on", "TROUBLE"), ("sign-on", "HELP"):
            var page = FlowPage("help", "Help", .http)
            page.addLabel("The help desk resets passwords.")
            page.addAction("BACK", "Back", type: "FLOW_BUTTON", bare: true)
            return .page(page)
        case ("registration", "CREATE"): return create(input, services)
        default: return .page(Self.page(run))
        }
    }

    private static var registration: FlowPage {
        var page = FlowPage("registration", "Register", .http)
        page.addText("username", "Username")
        page.addPassword("password", "Password")
        page.addSubmit("CREATE", "Create the account")
        page.addAction("BACK", "Back", type: "FLOW_BUTTON", bare: true)
        return page
    }

    private func create(_ input: FlowInput, _ services: FlowServices) -> FlowTurn {
        let (name, password) = (input.text("username"), input.text("password"))
        guard !name.isEmpty, !password.isEmpty else {
            return .refusal(FlowRefusal("createUser", 400, "Name and password are needed"))
        }
        let user = SimulatedUser(
            name: name, password: password, givenName: name, familyName: "New", email: "\(name)@example.com")
        guard services.directory.create(user) else {
            let message = "is unique but a non-unique value was provided"
            return .refusal(
                .attributes("createUser", "username: \(message)", [("username", "UNIQUENESS_VIOLATION", message)]))
        }
        return .success(user: name, amr: ["pwd"])
    }

    /// Checks name and password and returns the user, or the refusal.
    static func check(
        _ name: String, _ password: String, _ services: FlowServices
    ) -> (user: String, refusal: FlowTurn?) {
        switch services.directory.verify(name, password, now: services.now) {
        case .accepted: return (name, nil)
        case .warned(let left): return (name, .refusal(.credentials(left)))
        case .locked:
            var refusal = FlowRefusal("checkPassword", "PASSWORD_LOCKED_OUT", "The account is locked")
            refusal.category = "Expected"
            return (name, .refusal(refusal))
        case .refused, .inactive: return (name, .refusal(.credentials()))
        }
    }
}

/// Sign-on by the forms connector: keys with dots and no `eventName`.
struct SignOnFormsPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(Self.page(run)) }

    static func page(_ run: FlowRun) -> FlowPage {
        var page = FlowPage("sign-on-form", "Sign On Form")
        page.add("LABEL", nil, nil, ["content": "Sign on to go on"])
        page.add("ERROR_DISPLAY", nil, nil)
        page.addText("user.username", "Username", required: true)
        page.addPassword("user.password", "Password", required: true)
        page.addSubmit("submit", "Sign On")
        page.addAction("user.trouble", "Having trouble?")
        page.defaults = run.request.loginHint.map { ["user.username": .string($0)] } ?? [:]
        return page
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        Self.signIn(input, in: &run, with: services) ?? .success(user: run.user ?? "", amr: ["pwd"])
    }

    /// Handles the answer to the sign-on page, with which other policies begin too; nil once the run has its user.
    static func signIn(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn? {
        guard input.event == "submit" else { return .page(page(run)) }
        let (user, refusal) = SignOnPolicy.check(input.text("user.username"), input.text("user.password"), services)
        if refusal == nil { run.user = user }
        return refusal
    }
}
