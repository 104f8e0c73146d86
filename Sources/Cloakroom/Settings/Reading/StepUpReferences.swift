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
    let context: ReadingContext

    func check() {
        for requirement in requirements.requirements { checkStepUp(requirement) }
        for client in clients { checkMinimum(client) }
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
    }

    private func checkMinimum(_ client: ClientSettings) {
        guard let name = client.minimum else { return }
        let key = "clients.\(client.name).minimum"
        guard requirements.names.contains(name) else {
            return context.report(
                key, "expected the name of a requirement" + Misspelling.advice(on: name, among: requirements.names))
        }
        guard let requirement = requirements.requirements.first(where: { $0.name == name }) else { return }
        // Said once, at the requirement, when that sends its users to this client.
        if requirement.stepUp != client.name { checkScopes(of: requirement, client, key) }
    }

    /// No token of a client has a scope that the client never asks for.
    private func checkScopes(of requirement: Requirement, _ client: ClientSettings, _ key: String) {
        guard !requirement.scopes.allSatisfy(client.openID.scopes.contains) else { return }
        context.report(key, "expected only scopes that the client '\(client.name)' asks for")
    }
}
