internal import BFF
internal import BFFAPI
internal import Basics
internal import OpenIDConnect
internal import ResourceServer

/// Checks that clients, requirements and routes name each other rightly, and that what is demanded can be reached.
struct StepUpReferences {
    let clients: [ClientSettings]
    let requirements: RequirementsPart
    /// The names of all clients, of those that cannot be read too.
    let clientNames: [String]
    /// When a session ends in any case, and what it elevated with it.
    let sessionEnd: Duration
    let context: ReadingContext

    func check() {
        for requirement in requirements.requirements { checkStepUp(requirement) }
        for client in clients {
            checkMinimum(client)
            checkElevation(client)
        }
    }

    /// A route whose requirement leads nowhere is for the clients that it names.
    func check(_ route: RouteDefinition) {
        guard case .requirement(let name) = route.demand,
            let requirement = requirements.requirements.first(where: { $0.name == name }), requirement.stepUp == nil
        else { return }
        let own = clients.filter { route.clients.contains($0.name) }
        let key = "requirements.\(name).authLevel"
        guard let client = own.first, own.allSatisfy({ !$0.product.isJourney }), !context.isReported(key) else {
            return
        }
        checkLevel(of: requirement, client, key)
    }

    private func checkStepUp(_ requirement: Requirement) {
        guard let name = requirement.stepUp else { return }
        let key = "requirements.\(requirement.name)"
        guard clientNames.contains(name) else {
            return context.report(
                "\(key).stepUp", "expected the name of a client" + Misspelling.advice(on: name, among: clientNames))
        }
        guard let client = clients.first(where: { $0.name == name }) else { return }
        checkScopes(of: requirement, client, "\(key).scopes")
        checkClass(of: requirement, client, "\(key).stepUp")
        checkLevel(of: requirement, client, "\(key).authLevel")
    }

    /// No token of PingOne's states a level.
    private func checkLevel(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        guard requirement.authLevel != nil, !client.product.isJourney else { return }
        context.report(
            key, "is met by no token of '\(client.name)', a client of DaVinci flows; PingOne states acr and amr")
    }

    /// A step-up that asks the provider for a class gets no other one.
    private func checkClass(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        let asked = requirement.challengeACR.flatMap { client.asks(for: $0) ? [$0] : nil } ?? client.openID.acrValues
        guard let rule = requirement.acr, !asked.isEmpty, !asked.contains(where: rule.isMet) else { return }
        context.report(
            key, "expected a client whose tokens can have the acr; a step-up with '\(client.name)' asks for another")
    }

    /// What a strong sign-in once proved is no proof a day later (docs/step-up.md, 'Configuration').
    private func checkElevation(_ client: ClientSettings) {
        let isElevated = client.minimum != nil || requirements.requirements.contains { $0.stepUp == client.name }
        guard isElevated, client.limits.absolute ?? sessionEnd > Self.longestElevation else { return }
        let key = "clients.\(client.name)"
        let most = ValueForm<Duration>.text(Self.longestElevation)
        context.refuse(
            "\(key).limits.absolute",
            client.limits.absolute == nil
                ? "is missing; elevated tokens would last as long as the session, more than \(most)"
                : "expected no more than \(most) where tokens are elevated",
            unless: client.insecureLimits, "\(key).insecureLimits")
    }

    private static let longestElevation: Duration = .seconds(86_400)

    private func checkMinimum(_ client: ClientSettings) {
        guard let name = client.minimum else { return }
        let key = "clients.\(client.name).minimum"
        guard requirements.names.contains(name) else {
            return context.report(
                key, "expected the name of a requirement" + Misspelling.advice(on: name, among: requirements.names))
        }
        guard let requirement = requirements.requirements.first(where: { $0.name == name }) else { return }
        // Said once, at the requirement, when that sends its users to this client.
        guard requirement.stepUp != client.name else { return }
        checkScopes(of: requirement, client, key)
        checkLevel(of: requirement, client, key)
    }

    /// No token of a client has a scope that the client never asks for.
    private func checkScopes(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        guard !requirement.scopes.allSatisfy(client.openID.scopes.contains) else { return }
        context.report(key, "expected only scopes that the client '\(client.name)' asks for")
    }
}

extension ClientSettings {
    /// Whether a step-up asks the provider for a class; PingOne refuses one that it does not know.
    fileprivate func asks(for acr: String) -> Bool { product.isJourney || allowed.acrValues.contains(acr) }
}
