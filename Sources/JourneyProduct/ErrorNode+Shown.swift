internal import BFF
import JSON
import JourneyClient
import Orchestrate

extension ErrorNode {
    /// The longest list of entries, and the longest object of exposed members, in bytes of JSON.
    private static let limit = 8192

    /// The details of a refusal that browsers see besides its message.
    ///
    /// They are the properties that do not meet policies, and the members of `detail` that the settings expose, each as
    /// far as the length allows.
    ///
    /// - Parameters:
    ///   - exposed: The names of members of `detail`; `failureUrl`, the address of AM's own page, is never shown.
    ///   - page: The page that was answered; nil at a start.
    /// - Returns: The details to show.
    func shown(_ exposed: [String], after page: ContinueNode?) -> FailureDetails {
        var shown = FailureDetails()
        if journeyKind == .policyFailed {
            var entries: [JSONValue] = []
            for entry in policyDetails(after: page) {
                guard JSONValue.array(entries + [entry]).serialized().count <= Self.limit else { break }
                entries.append(entry)
            }
            shown.entries = entries
        }
        for name in exposed where name != "failureUrl" {
            var longer = shown.exposed
            longer[name] = input["detail"]?[name]
            if longer.serialized().count <= Self.limit { shown.exposed = longer }
        }
        return shown
    }
}
