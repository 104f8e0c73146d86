internal import Basics
package import JSON
public import Orchestrate

/// A profile property whose value failed policies.
public struct FailedProperty: Sendable, Equatable {
    /// The name of the property, such as `password`.
    public let property: String
    /// The policies that the value failed.
    public let policies: [FailedPolicy]
}

extension ErrorNode {
    /// The properties that failed policies; entries that are JSON encoded in a string are read as well.
    public var failedProperties: [FailedProperty] {
        let list = input["detail"]?["failedPolicyRequirements"]?.array ?? []
        return list.compactMap { entry in
            let entry = entry.string.flatMap { try? JSONValue(parsing: $0) } ?? entry
            guard let property = entry["property"]?.string else { return nil }
            return FailedProperty(property: property, policies: FailedPolicy.list(entry["policyRequirements"]))
        }
    }

    /// The failed properties as JSON for browsers.
    ///
    /// Each has the `id` of the question on the answered page that asked for the property.
    package func policyDetails(after page: ContinueNode?) -> [JSONValue] {
        let questions = page.map { JourneyPage($0).askingCallbacks }
        return failedProperties.map { failed in
            var details: JSONObject = ["property": .string(failed.property)]
            let asked = questions?.first { $0.raw.text("name").isSameText(as: failed.property) }
            details["id"] = asked.map { .string($0.id) }
            details["requirements"] = FailedPolicy.document(failed.policies)
            return .object(details)
        }
    }
}
