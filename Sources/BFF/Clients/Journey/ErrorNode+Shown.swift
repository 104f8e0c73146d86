import JSON
import JourneyClient
import Orchestrate

extension ErrorNode {
    /// The longest list of faults, and the longest exposed detail, in bytes of JSON.
    private static let limit = 8192

    /// What browsers get of a refusal besides its message: the properties that do not meet policies, and of its `detail` what
    /// the settings expose, each as far as it is short enough.
    ///
    /// - Parameters:
    ///   - exposed: Members of `detail`; the address of AM's own page is none, whatever the settings say.
    ///   - page: The page that was answered; nil at a start.
    /// - Returns: What is shown.
    func shown(_ exposed: [String], after page: ContinueNode?) -> FailureDetails {
        var shown = FailureDetails()
        if journeyKind == .policyFailed {
            var faults: [JSONValue] = []
            for fault in policyDetails(after: page) {
                guard JSONValue.array(faults + [fault]).serialized().count <= Self.limit else { break }
                faults.append(fault)
            }
            shown.faults = faults
        }
        for name in exposed where name != "failureUrl" {
            var longer = shown.exposed
            longer[name] = input["detail"]?[name]
            if longer.serialized().count <= Self.limit { shown.exposed = longer }
        }
        return shown
    }
}
