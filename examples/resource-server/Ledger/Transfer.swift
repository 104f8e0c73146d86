internal import JSON

/// An order to move money: `{"from": "checking", "to": "DE02…", "amount": "12.50"}`.
struct Transfer: Sendable, Equatable {
    let from: String
    let to: String
    let cents: Int64

    init(parsing body: [UInt8]) throws(TransferError) {
        guard let order = (try? JSONValue(parsing: body))?.object else { throw .malformed }
        guard Set(order.names) == ["from", "to", "amount"], let from = order["from"]?.string,
            let to = order["to"]?.string, let amount = order["amount"]?.string
        else { throw .malformed }
        guard 1...34 ~= to.utf8.count, to.utf8.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 }), to != from
        else { throw .receiver }
        guard let cents = Self.cents(amount) else { throw .amount }
        self.from = from
        self.to = to
        self.cents = cents
    }

    /// Money is a text of digits with two decimals: a floating-point number would lose some.
    private static func cents(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, 1...9 ~= parts[0].count, parts[1].count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }), let cents = Int64(parts.joined())
        else { return nil }
        return cents > 0 ? cents : nil
    }
}

/// Why an order is not carried out.
enum TransferError: Error, Equatable {
    case malformed
    case receiver
    case amount
    case unknownAccount
    case notCovered

    var title: String {
        switch self {
        case .malformed: "Send from, to and amount"
        case .receiver: "The receiver is no account"
        case .amount: "The amount is not like 12.50"
        case .unknownAccount: "There is no such account"
        case .notCovered: "The account does not cover the amount"
        }
    }
}
