import Basics
import OpenIDConnect
import ResourceServer

/// The requirements that routes and clients may demand, with the check whether tokens meet them now.
struct Requirements: Sendable {
    /// All requirements, in the order of the configuration.
    let inOrder: [Requirement]
    private let byName: [String: Requirement]
    let time: any TimeSource

    init(_ requirements: [Requirement], _ time: any TimeSource) {
        inOrder = requirements
        byName = Dictionary(requirements.map { ($0.name, $0) }) { first, _ in first }
        self.time = time
    }

    subscript(_ name: String) -> Requirement? { byName[name] }

    /// True if tokens meet a requirement now; false for a requirement that is not configured.
    func meets(_ requirement: String, _ tokens: TokenSet) -> Bool {
        meets(requirement, tokens.facts)
    }

    /// True if each of a token's facts meets a requirement now; false without facts.
    func meets(_ requirement: String, _ facts: [TokenFacts]) -> Bool {
        guard let requirement = byName[requirement] else { return false }
        return !facts.isEmpty && facts.allSatisfy { requirement.shortfall(of: $0, at: time.now()).isNone }
    }
}
