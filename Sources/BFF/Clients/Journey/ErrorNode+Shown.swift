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
    /// - Returns: Members of the node.
    func shown(_ exposed: [String], after page: ContinueNode?) -> JSONObject {
        var shown = JSONObject()
        if journeyKind == .policyFailed {
            var details: [JSONValue] = []
            for fault in policyDetails(after: page) {
                guard JSONValue.array(details + [fault]).serialized().count <= Self.limit else { break }
                details.append(fault)
            }
            shown["details"] = .array(details)
        }
        var detail = JSONObject()
        for name in exposed where name != "failureUrl" {
            var longer = detail
            longer[name] = input["detail"]?[name]
            if longer.serialized().count <= Self.limit { detail = longer }
        }
        if !detail.isEmpty { shown["detail"] = .object(detail) }
        return shown
    }
}
