internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `/gateway/…`: an API behind a policy agent, which sends advice about a call that lacks something.
///
/// `level` and `journey` need a token of level 3 and advise a level or a journey; `transaction` needs an authorisation
/// of each single call. With `…/redirect` behind any of them the advice is a redirect to the login page in place of a
/// challenge.
///
/// Refuses by docs/protocol.md, 'Policy advice'.
final class PolicyGateway: Sendable {
    private static let level = 3
    /// The time for which AM knows a transaction.
    private static let lifetime = Duration.seconds(180)

    /// A refused call that waits for its user's approval.
    private struct Transaction {
        let user: String
        let call: String
        let ends: Timestamp
        var isAuthorised = false
    }

    private let services: OAuthServices
    private let transactions = Locked(BoundedTable<Transaction>(capacity: 1000))

    init(_ services: OAuthServices) {
        self.services = services
    }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        let bearer = call.headers.single("authorization").map { $0.split(separator: " ") } ?? []
        guard bearer.count == 2, bearer[0].lowercased() == "bearer",
            let token = services.grants.find(String(bearer[1]), now: call.now), token.kind == .access,
            let user = token.grant.user
        else {
            return .oauthError(
                401, "invalid_token", "The access token is not good.",
                [ResponseHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        let realm = services.settings.realmName
        switch call.segments.dropFirst().first {
        case "level" where token.grant.level < Self.level:
            return refusal(call, "AuthLevelConditionAdvice", "\(realm):\(Self.level)")
        case "journey" where token.grant.level < Self.level:
            return refusal(call, "AuthenticateToServiceConditionAdvice", "\(realm):StepUp")
        case "transaction":
            let described = "\(call.method.rawValue) \(call.path) \(String(decoding: call.body, as: UTF8.self))"
            if isAuthorised(call.query.single("_txid"), by: user, for: described, at: call.now) { break }
            let id = Identifier.tracking()
            transactions.withLock { $0[id] = Transaction(user: user, call: described, ends: call.now + Self.lifetime) }
            return refusal(call, "TransactionConditionAdvice", id)
        case "level", "journey": break
        default: return .amError(404, "Not Found")
        }
        return .json(200, ["passed": .string(call.path), "level": JSONValue(Int64(token.grant.level))])
    }

    /// Adds a transaction that another gateway has made for a user's call.
    func note(_ id: String, of user: String, at now: Timestamp) {
        transactions.withLock { $0[id] = Transaction(user: user, call: "", ends: now + Self.lifetime) }
    }

    /// True if a transaction is known and has not expired.
    func knows(_ id: String, now: Timestamp) -> Bool {
        transactions.withLock { $0[id].map { now < $0.ends } ?? false }
    }

    /// Whose yes a transaction waits for; nil when it is unknown, over, or was said yes to.
    func waiting(_ id: String, now: Timestamp) -> String? {
        transactions.withLock { transactions in
            guard let found = transactions[id], !found.isAuthorised, now < found.ends else { return nil }
            return found.user
        }
    }

    /// Notes the yes that a transaction waits for; false when it waits no more.
    func complete(_ id: String, now: Timestamp) -> Bool {
        transactions.withLock { transactions in
            guard var found = transactions[id], !found.isAuthorised, now < found.ends else { return false }
            found.isAuthorised = true
            transactions[id] = found
            return true
        }
    }

    /// Records that a user approves one of the user's own calls.
    func authorise(_ id: String, by user: String) {
        transactions.withLock { transactions in
            guard var transaction = transactions[id], transaction.user == user else { return }
            transaction.isAuthorised = true
            transactions[id] = transaction
        }
    }

    /// True if this call was approved; the approval is consumed.
    private func isAuthorised(_ id: String?, by user: String, for call: String, at now: Timestamp) -> Bool {
        guard let id else { return false }
        return transactions.withLock { transactions in
            guard let found = transactions[id], found.isAuthorised, found.user == user, found.call == call,
                now < found.ends
            else { return false }
            return transactions.remove(id) != nil
        }
    }

    private func refusal(_ call: SimulatedCall, _ name: String, _ value: String) -> ServerResponse {
        guard call.segments.last != "redirect" else {
            var query = QueryParameters()
            query.append("goto", call.base + call.path)
            query.append("authIndexType", "composite_advice")
            query.append(
                "authIndexValue",
                "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair></Advices>"
            )
            return .redirect(call.base + "/am/UI/Login?" + query.encoded)
        }
        let advices: JSONObject = [name: [.string(value)]]
        let encoded = Base64.encode(advices.serialized())
        return .json(
            401, ["advices": .object(advices)],
            [
                ResponseHeader(
                    "WWW-Authenticate",
                    "SSOADVICE realm=\"\(services.settings.realmName)\",advices=\"\(encoded)\",am_uri=\"\(call.base)/am\""
                )
            ])
    }
}
