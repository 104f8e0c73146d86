import BFF
import Basics
package import JSON
import JourneyClient
package import ResourceServer

/// The demands of a policy agent's advice, as far as they can be compared with a configured requirement
/// (docs/protocol.md, 'Policy advice').
package struct AdvisedStrength: Sendable {
    private static let transactions = "TransactionConditionAdvice"
    private static let levels = "AuthLevelConditionAdvice"
    private static let services = "AuthenticateToServiceConditionAdvice"

    /// The lowest accepted authentication level; nil for any.
    private let level: Int?
    /// The journeys of which the client's own has to be one; nil for any.
    private let journeys: [String]?
    /// The transaction that has to be authorised; nil for an advice about strength alone.
    package let transaction: String?

    /// Reads an advice.
    ///
    /// A demand of an unknown kind, such as an authentication scheme or a realm, counts as one that no journey of ours
    /// meets.
    ///
    /// - Returns: nil for an advice with such a demand, without any demand, or with malformed values.
    package init?(_ advices: JSONObject) {
        guard let advice = PolicyAdvice(.object(advices)) else { return nil }
        var (level, journeys, transaction) = (Int?.none, [String]?.none, String?.none)
        for attribute in advice.attributes {
            switch attribute.name {
            case Self.transactions:
                guard attribute.values.count == 1, TransactionID.isOne(attribute.values[0]) else { return nil }
                transaction = attribute.values[0]
            case Self.levels:
                let levels = attribute.values.compactMap { Int(Self.unqualified($0)) }
                guard levels.count == attribute.values.count else { return nil }
                level = levels.max()
            case Self.services: journeys = attribute.values.map { String(Self.unqualified($0)) }
            default: return nil
            }
        }
        (self.level, self.journeys, self.transaction) = (level, journeys, transaction)
    }

    /// True if a step-up for a requirement does what the advice asks.
    ///
    /// A transaction says nothing about strength: the provider decides which journey authorises it, so any step-up by a
    /// journey client does what it asks.
    ///
    /// - Parameters:
    ///   - requirement: The requirement of the step-up.
    ///   - journey: The journey that the step-up runs.
    /// - Returns: False if any part of the advice would not be done.
    package func isDone(by requirement: Requirement, journey: String?) -> Bool {
        if let level, (requirement.authLevel ?? 0) < level { return false }
        guard let journeys else { return true }
        return journey.map { journey in journeys.contains { $0.isSameText(as: journey) } } ?? false
    }

    /// A value without the realm and the colon that may precede it.
    private static func unqualified(_ value: String) -> Substring {
        value.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    }
}

extension ReceivedChallenge {
    /// The advice of a gateway that redirects to AM's login in place of a challenge; nil for any other address.
    package init?(location: String) {
        guard let advice = PolicyAdvice(location: location) else { return nil }
        self.init(advices: advice.json)
    }
}
