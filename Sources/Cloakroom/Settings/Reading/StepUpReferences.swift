internal import BFF
internal import BFFAPI
internal import Basics
internal import OpenIDConnect
internal import ProductKit
internal import ResourceServer
internal import SettingsKit

/// Checks that clients, requirements and routes refer to existing names, and that every demand can be met.
struct StepUpReferences {
    let clients: [ClientSettings]
    let requirements: RequirementsPart
    /// The names of all clients, also of those that cannot be read.
    let clientNames: [String]
    /// The absolute life time of a session, at the end of which its elevated tokens end too.
    let sessionEnd: Duration
    let context: ReadingContext

    func check() {
        for requirement in requirements.requirements { checkStepUp(requirement) }
        for client in clients {
            checkMinimum(client)
            checkElevation(client)
        }
    }

    /// Checks the requirement for ending sessions: a user who does not meet it has to be able to step up.
    func checkEnding(_ name: String?) {
        guard let name else { return }
        let key = "session.endRequirement"
        guard requirements.names.contains(name) else {
            return context.report(
                key, "expected the name of a requirement" + Misspelling.advice(on: name, among: requirements.names))
        }
        guard let requirement = requirements.requirements.first(where: { $0.name == name }) else { return }
        if requirement.stepUp == nil {
            context.report(key, "expected a requirement with stepUp, so that users can meet it")
        }
    }

    /// Checks a route whose requirement has no step-up client: its own clients have to meet the demand.
    func check(_ route: RouteDefinition) {
        guard case .requirement(let name) = route.demand,
            let requirement = requirements.requirements.first(where: { $0.name == name }), requirement.stepUp == nil
        else { return }
        let own = clients.filter { route.clients.contains($0.name) }
        let key = "requirements.\(name).authLevel"
        guard let client = own.first, own.allSatisfy({ $0.levelNote != nil }), !context.isReported(key) else {
            return
        }
        checkLevel(of: requirement, client, key)
    }

    /// Checks that the clients of `server.pingCompatibility` exist, and that their products have a protocol for it.
    func check(pingClients: [String]) {
        let key = "server.pingCompatibility.clients"
        for name in pingClients {
            // rule: Ping's protocols are for clients of the settings
            guard clientNames.contains(name) else {
                context.report(
                    key, "expected names of clients" + Misspelling.advice(on: name, among: clientNames))
                continue
            }
            guard let client = clients.first(where: { $0.name == name }),
                !APISettings.pingProducts.contains(type(of: client.product).name.rawValue)
            else { continue }
            context.report(
                key, "'\(name)' is \(type(of: client.product).clientWords); only journeys and DaVinci flows have it")
        }
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

    /// Refuses a level for a client whose tokens state none.
    private func checkLevel(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        guard requirement.authLevel != nil, let note = client.levelNote else { return }
        context.report(
            key, "is met by no token of '\(client.name)', \(type(of: client.product).clientWords); \(note)")
    }

    /// Requires that the acr values of a step-up can meet its requirement: a step-up that asks for a class gets no
    /// other one.
    private func checkClass(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        let asked = requirement.challengeACR.flatMap { client.asks(for: $0) ? [$0] : nil } ?? client.openID.acrValues
        guard let rule = requirement.acr, !asked.isEmpty, !asked.contains(where: rule.isMet) else { return }
        context.report(
            key, "expected a client whose tokens can have the acr; a step-up with '\(client.name)' asks for another")
    }

    /// Limits the life of elevated tokens to a day, after which a strong sign-in proves nothing (docs/step-up.md,
    /// 'Configuration').
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

    /// Requires that sessions can be bound where a requirement demands that, and that no sign-in has to be of a bound
    /// session: it is bound after the sign-in.
    func checkDevices(isOffered: Bool) {
        for requirement in requirements.requirements where requirement.needsBoundDevice {
            if !isOffered {
                context.report(
                    "requirements.\(requirement.name).device", "nobody can meet it; set session.deviceBinding: offer")
            }
            for client in clients where client.minimum == requirement.name {
                context.report(
                    "clients.\(client.name).minimum",
                    "expected a requirement without device: a session is bound after its sign-in")
            }
        }
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
        // Reported once, at the requirement, when that names this client for its step-up.
        guard requirement.stepUp != client.name else { return }
        checkScopes(of: requirement, client, key)
        checkLevel(of: requirement, client, key)
    }

    /// Requires that the client asks for the scopes of its requirement; its tokens have no other scopes.
    private func checkScopes(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        guard !requirement.scopes.allSatisfy(client.openID.scopes.contains) else { return }
        context.report(key, "expected only scopes that the client '\(client.name)' asks for")
    }
}

extension ClientSettings {
    /// True if a step-up asks the provider for the class.
    fileprivate func asks(for acr: String) -> Bool { product.asksForEachClass || allowed.acrValues.contains(acr) }

    /// Why the client's tokens state no authentication level; nil if they can state one.
    fileprivate var levelNote: String? { type(of: product).levelNote }
}
