import Basics
import OpenIDConnect
import ResourceServer

/// What routes and clients may demand, and whether tokens meet it now.
struct Requirements: Sendable {
    /// In the order of the configuration.
    let inOrder: [Requirement]
    private let byName: [String: Requirement]
    let time: any TimeSource

    init(_ requirements: [Requirement], _ time: any TimeSource) {
        inOrder = requirements
        byName = Dictionary(requirements.map { ($0.name, $0) }) { first, _ in first }
        self.time = time
    }

    subscript(_ name: String) -> Requirement? { byName[name] }

    /// Whether tokens meet a requirement now; one that is not configured is not met.
    func meets(_ requirement: String, _ tokens: TokenSet) -> Bool {
        meets(requirement, tokens.facts)
    }

    /// Whether a requirement is met by every reading of a token; without a reading it is not.
    func meets(_ requirement: String, _ facts: [TokenFacts]) -> Bool {
        guard let requirement = byName[requirement] else { return false }
        return !facts.isEmpty && facts.allSatisfy { requirement.shortfall(of: $0, at: time.now()).isNone }
    }
}
