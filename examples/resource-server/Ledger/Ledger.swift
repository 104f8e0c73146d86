internal import Basics
internal import JSON

/// Two accounts for each user, in memory.
struct Ledger: Sendable {
    private static let mostUsers = 1000
    private static let mostBookings = 100

    private struct Account {
        let id: String
        let name: String
        var cents: Int64
    }

    private struct Book {
        var accounts = [
            Account(id: "checking", name: "Checking", cents: 1_250_00),
            Account(id: "savings", name: "Savings", cents: 9_800_00),
        ]
        var bookings: [JSONValue] = []
        var booked: Int64 = 0
    }

    private let books = Locked<[String: Book]>([:])

    func accounts(of user: String) -> JSONValue {
        let accounts = books.withLock { $0[user] ?? Book() }.accounts
        return [
            "accounts": .array(
                accounts.map { account in
                    ["id": .string(account.id), "name": .string(account.name), "balance": .string(account.cents.money)]
                })
        ]
    }

    func transactions(of user: String) -> JSONValue {
        ["transactions": .array(books.withLock { $0[user]?.bookings ?? [] })]
    }

    /// Moves money out of one of the user's accounts.
    func book(_ transfer: Transfer, for user: String) throws(TransferError) -> JSONValue {
        try books.withLock { books throws(TransferError) in
            // A sample that runs for weeks must not grow for weeks.
            if books[user] == nil, books.count >= Self.mostUsers { books.removeAll() }
            var book = books[user] ?? Book()
            guard let place = book.accounts.firstIndex(where: { $0.id == transfer.from }) else { throw .unknownAccount }
            guard book.accounts[place].cents >= transfer.cents else { throw .notCovered }
            book.accounts[place].cents -= transfer.cents
            if let own = book.accounts.firstIndex(where: { $0.id == transfer.to }) {
                book.accounts[own].cents += transfer.cents
            }
            book.booked += 1
            let booking: JSONValue = [
                "id": JSONValue(book.booked), "from": .string(transfer.from), "to": .string(transfer.to),
                "amount": .string(transfer.cents.money),
            ]
            book.bookings.append(booking)
            if book.bookings.count > Self.mostBookings { book.bookings.removeFirst() }
            books[user] = book
            return booking
        }
    }
}

extension Int64 {
    /// `12.50` for 1250.
    fileprivate var money: String { "\(self / 100).\(self % 100 < 10 ? "0" : "")\(self % 100)" }
}
