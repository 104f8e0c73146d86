internal import JSON

/// Name and password, or other providers, whose links only a browser opens; only the first provider works.
///
/// A user who returns is signed in: `alice` after one more page, which belongs to another interaction. `bob` is
/// refused, and the former page stays. Unknown users are registered.
struct SocialPolicy: FlowPolicy {
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn { .page(page(run, services)) }

    private func page(_ run: FlowRun, _ services: FlowServices) -> FlowPage {
        var page = SignOnFormsPolicy.page(run)
        page.hasReturn = true
        page.add(
            "SOCIAL_LOGIN_BUTTON", "google-btn", "Sign in with Google",
            [
                "idpId": .string(PingOneID.uuid("provider")), "idpType": "GOOGLE", "idpEnabled": true,
                "links": ["authenticate": ["href": .string(services.social.link(run, services))]],
            ])
        page.add(
            "SOCIAL_LOGIN_BUTTON", nil, "Sign in with Facebook",
            [
                "idpId": .string(PingOneID.uuid("provider 2")), "idpType": "FACEBOOK", "idpEnabled": false,
                "links": ["authenticate": ["href": .string(services.address("off"))]],
            ])
        return page
    }

    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        if let user = run.user { return .success(user: user, amr: ["fed"]) }
        guard input.event == "submit" else { return .page(page(run, services)) }
        return SignOnFormsPolicy.signIn(input, in: &run, with: services) ?? .success(user: run.user ?? "", amr: ["pwd"])
    }

    func resume(_ user: String, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        switch user {
        case "bob":
            var refusal = FlowRefusal("loginFirstFactor", "accessDenied", "This account may not be used here")
            refusal.connector = "pingOneAuthenticationConnector"
            return .refusal(refusal)
        case "alice":
            run.user = user
            run.beginAnew()
            var page = FlowPage("more", "One more thing")
            page.addText("user.email", "Email", required: true)
            page.addSubmit("submit", "Go on")
            page.defaults = ["user.email": .string(services.directory.user(user)?.email ?? "")]
            return .page(page)
        default:
            _ = services.directory.create(
                SimulatedUser(
                    name: user, password: Identifier.random(16), givenName: user, familyName: "New",
                    email: "\(user)@example.com"))
            return .success(user: user, amr: ["fed"])
        }
    }
}
