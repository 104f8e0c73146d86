internal import JSON
public import Orchestrate

/// What kind of refusal AM sent (journey.md 4.1).
///
/// The raw value is the stable reason of the REST API. Messages are localised and never looked into, but for the one
/// exception class that has no other sign.
public enum JourneyErrorKind: String, Sendable, CaseIterable {
    /// The journey ended in its failure node: wrong password, locked user, a refusal of its own.
    case authenticationFailed = "authentication-failed"
    /// The step was answered too late.
    case journeyExpired = "journey-expired"
    /// The suspended link was used or has expired.
    case suspendedExpired = "suspended-expired"
    /// Values did not meet policies, outside any callback.
    case policyFailed = "policy-failed"
    /// The request is not one that AM takes: no such journey or realm. Someone must look at the configuration.
    case badRequest = "bad-request"

    /// Sorts a refusal.
    public init(_ node: ErrorNode) {
        let detail = node.input["detail"]
        if detail?["errorCode"]?.string == "110" {
            self = .journeyExpired
        } else if node.message.names("SuspendedAuthSessionException") {
            self = .suspendedExpired
        } else if node.status == 403, detail?["failedPolicyRequirements"]?.array != nil {
            self = .policyFailed
        } else if node.status == 401 || node.status == 403 {
            self = .authenticationFailed
        } else {
            self = .badRequest
        }
    }
}

extension String {
    /// Whether an ASCII word occurs in the text; compares bytes, where `contains` compares characters.
    fileprivate func names(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { text in
            word.withUTF8Buffer { word in
                guard text.count >= word.count else { return false }
                return (0...text.count - word.count).contains { start in
                    text[start] == word[0] && text[start..<start + word.count].elementsEqual(word)
                }
            }
        }
    }
}

/// A property whose value did not meet policies.
public struct FailedProperty: Sendable, Equatable {
    /// The property, `password` and the like.
    public let property: String
    /// What its value did not meet.
    public let policies: [FailedPolicy]
}

extension ErrorNode {
    /// What kind of refusal it is.
    public var journeyKind: JourneyErrorKind { JourneyErrorKind(self) }

    /// The properties that did not meet policies; members that are JSON in strings are read as well.
    public var failedProperties: [FailedProperty] {
        let list = input["detail"]?["failedPolicyRequirements"]?.array ?? []
        return list.compactMap { entry in
            let entry = entry.string.flatMap { try? JSONValue(parsing: $0) } ?? entry
            guard let property = entry["property"]?.string else { return nil }
            return FailedProperty(property: property, policies: FailedPolicy.list(entry["policyRequirements"]))
        }
    }
}
