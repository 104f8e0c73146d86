import Basics
package import JSON
import JourneyClient
package import ResourceServer

/// What a policy agent's advice asks for, as far as a configured requirement can be held against it
/// (docs/protocol.md, 'Policy advice').
package struct AdvisedStrength: Sendable {
    private static let transactions = "TransactionConditionAdvice"
    private static let levels = "AuthLevelConditionAdvice"
    private static let services = "AuthenticateToServiceConditionAdvice"

    /// The most bytes of a transaction's id.
    package static let longestTransactionID = 128

    /// The least authentication level.
    private let level: Int?
    /// The journeys of which the client's own has to be one; nil for any.
    private let journeys: [String]?
    /// The transaction that has to be authorised.
    package let transaction: String?

    /// Reads an advice.
    ///
    /// A demand that is not known (an authentication scheme, a realm) is one that no journey of ours is known to meet.
    ///
    /// - Returns: nil for an advice with such a demand, without any, or with values that mean nothing.
    package init?(_ advices: JSONObject) {
        guard let advice = PolicyAdvice(.object(advices)) else { return nil }
        var (level, journeys, transaction) = (Int?.none, [String]?.none, String?.none)
        for attribute in advice.attributes {
            switch attribute.name {
            case Self.transactions:
                guard attribute.values.count == 1, Self.isTransactionID(attribute.values[0]) else { return nil }
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

    /// Whether stepping up for a requirement does what is advised.
    ///
    /// A transaction says nothing about strength: which journey authorises it is the provider's to say, so any step-up by
    /// a journey client will do.
    ///
    /// - Parameters:
    ///   - requirement: What the step-up is for.
    ///   - journey: The journey that the step-up runs.
    /// - Returns: False where any part of the advice would not be done.
    package func isDone(by requirement: Requirement, journey: String?) -> Bool {
        if let level, (requirement.authLevel ?? 0) < level { return false }
        guard let journeys else { return true }
        return journey.map { journey in journeys.contains { $0.isSameText(as: journey) } } ?? false
    }

    /// A value without the realm and the colon that may stand before it.
    private static func unqualified(_ value: String) -> Substring {
        value.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
    }

    /// True if a text may be the id of a transaction: printable, short, and nothing that would have to be escaped anywhere.
    package static func isTransactionID(_ text: String) -> Bool {
        (1...longestTransactionID).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
    }
}
