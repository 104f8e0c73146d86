internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The query of a request; unknown names are refused, like unknown members of a body: `logout?accont=alice` must not
/// sign out every account.
struct RequestQuery: Sendable {
    private var values: [(name: String, value: String)] = []

    /// Reads a query that may have these names.
    ///
    /// - Throws: `.malformed` naming the parameter.
    init(_ request: ServerRequest, _ known: String...) throws(Problem) {
        guard let raw = request.query, !raw.isEmpty else { return }
        guard let query = QueryParameters(parsing: raw, limit: 16) else {
            throw Problem(.malformed, "The query cannot be read.")
        }
        for (name, value) in query.pairs {
            guard known.contains(where: name.isSameText) else { throw Problem(.malformed, member: name, .unknown) }
            guard !values.contains(where: { $0.name.isSameText(as: name) }) else {
                throw Problem(.malformed, member: name, .repeated)
            }
            values.append((name, value))
        }
    }

    /// A parameter that is `true` or `false`; false when it is missing.
    func flag(_ name: String) throws(Problem) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = Bool(value) else { throw Problem(.malformed, member: name, .outOfRange) }
        return flag
    }

    /// A parameter that names an account, encoded for the use cases, empty for the default account; nil when it is
    /// missing.
    func account(_ name: String) throws(Problem) -> String? {
        guard let account = value(name) else { return nil }
        guard !account.isEmpty else { return "" }
        guard let encoded = AccountName.encoded(account) else {
            throw Problem(.malformed, member: name, .outOfRange)
        }
        return encoded
    }

    private func value(_ name: String) -> String? { values.first { $0.name.isSameText(as: name) }?.value }
}
