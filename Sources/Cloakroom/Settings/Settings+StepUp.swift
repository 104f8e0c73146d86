internal import BFF
package import BFFAPI
internal import Basics
internal import ProductKit
internal import ResourceServer

extension Settings {
    /// Checks the references between routes, requirements and clients, and returns every problem.
    ///
    /// - Returns: The problems; empty when each reference is valid.
    package func stepUpProblems() -> [APISettingsError] {
        let clientNames = clients.map(\.name)
        let names = requirements.map(\.name)
        var problems = RouteSettings.problems(
            routes, basePath: api.basePath, clients: clientNames, requirements: names)
        problems += RouteOverlap(requirements: requirements, clients: clients).problems(routes)
        for (index, requirement) in requirements.enumerated() {
            func refuse(_ setting: String, _ expected: String) {
                problems.append(
                    APISettingsError(setting: "requirements[\(index)].\(setting)", expected: "expected " + expected))
            }
            if !requirement.name.isName || Self.isReserved(requirement.name) {
                refuse("name", "letters, digits, dashes and underscores, not signed-in, none or c_…")
            }
            if names[..<index].contains(requirement.name) { refuse("name", "each name once") }
            if let client = requirement.stepUp, !clientNames.contains(client) {
                refuse("stepUp", "the name of a configured client")
            }
            if requirement.asksForNothing {
                refuse("scopes", "scopes, acr, amr, authLevel or a duration in maxAge, else everybody meets it")
            }
            if let level = requirement.authLevel, level < 1 { refuse("authLevel", "1 or more") }
            if requirement.needsBoundDevice, sessions.deviceCookie == nil {
                refuse("needsBoundDevice", "sessions that may be bound to devices")
            }
            if requirement.machines, !requirement.admitsMachines || requirement.stepUp != nil {
                refuse("machines", "scopes and nothing else beside this")
            }
            if requirement.acr != nil || requirement.amr != nil || requirement.authLevel != nil,
                requirement.maxAge == nil
            {
                refuse("maxAge", "a duration or session, because the strength of a sign-in wears off")
            }
        }
        for (index, client) in clients.enumerated() {
            let minimums = requirements.filter { $0.name == client.minimum }
            if minimums.contains(where: \.needsBoundDevice) {
                problems.append(
                    APISettingsError(
                        setting: "clients[\(index)].minimum",
                        expected: "expected a requirement without a bound device, because sign-ins come first"))
            }
            guard let minimum = client.minimum, !names.contains(minimum) else { continue }
            problems.append(
                APISettingsError(
                    setting: "clients[\(index)].minimum", expected: "expected the name of a requirement"))
        }
        if let name = sessions.endingRequirement, !names.contains(name) {
            problems.append(
                APISettingsError(setting: "session.endRequirement", expected: "expected the name of a requirement"))
        }
        return problems
    }

    /// True if a requirement may not have the name: `c_` begins the ids of challenges, and routes use the two words
    /// themselves.
    static func isReserved(_ name: String) -> Bool {
        name.hasPrefix("c_") || ["signed-in", "none"].contains(name)
    }
}

extension RouteOverlap {
    init(requirements: [Requirement], clients: [ClientSettings]) {
        self.init(
            requirements: requirements,
            minimums: Dictionary(clients.compactMap { client in client.minimum.map { (client.name, $0) } }) {
                first, _ in
                first
            })
    }
}
