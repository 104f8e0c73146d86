import Basics
import HTTPCore
import IdentitySimulator
import JSON

/// The API behind the routes: it looks at the token that a call goes out with, and knows from the query who made the call.
///
/// Sendable invariant: one thread, as of `World`.
final class WorldAPI: @unchecked Sendable {
    private let world: World
    private let mix: Mix
    private let provider: InProcessSimulator
    private let ledger: Ledger
    /// How long the tokens of an elevated client may be used after its sign-in.
    private let elevatedLimit: Duration
    /// The transactions that it wants authorised: the call that each is for, and whose token that had.
    private var transactions: [String: (call: String, user: String)] = [:]

    init(_ world: World, _ mix: Mix, _ provider: InProcessSimulator, _ ledger: Ledger, elevatedLimit: Duration) {
        self.world = world
        self.mix = mix
        self.provider = provider
        self.ledger = ledger
        self.elevatedLimit = elevatedLimit
    }

    /// Answers a call: 200 with the grant that its token is of, or 401 for a token that is not good.
    func answer(
        _ request: ClientRequest, _ deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !world.isEnding else { throw .notReached(.connect) }
        guard await world.passUnlessCancelled(world.spans.span(upTo: mix.providerLatency)) else { throw .cancelled }
        let response = judge(request)
        guard await world.passUnlessCancelled(world.spans.span(upTo: mix.providerLatency)) else { throw .cancelled }
        return response
    }

    private func judge(_ request: ClientRequest) -> ClientResponse {
        let query = request.url.query.flatMap { QueryParameters(parsing: $0) }
        guard request.url.path != "/public", let field = request.fields[.authorization], field.hasPrefix("Bearer ")
        else {
            return ClientResponse(status: 200, body: Array("{}".utf8))
        }
        let token = String(field.dropFirst("Bearer ".count))
        check(token, at: request.url.path, for: query?.single("users") ?? "", request.context?.id)
        if let grant = ledger.grant(of: token), let id = request.context?.id { ledger.thefts[id]?(grant) }
        let isRefused = world.faults.happens("api-refuses", mix.apiRefuses)
        if isRefused { world.record.count(.fault, "the API calls a good token invalid") }
        guard provider.isGood(token), !isRefused else {
            world.note("    the API calls the token invalid")
            var response = ClientResponse(status: 401)
            response.fields.set(.wwwAuthenticate, #"Bearer error="invalid_token""#)
            return response
        }
        let grant = ledger.grant(of: token)
        if request.url.path == "/payments", let challenge = policy(request, grant?.user ?? "") { return challenge }
        let body: JSONObject = [
            "user": .string(grant?.user ?? ""), "client": .string(grant?.client ?? ""),
            "at": JSONValue(grant?.at.milliseconds ?? 0),
        ]
        return ClientResponse(status: 200, body: body.serialized())
    }

    /// What a policy agent says to a payment: the first time that it is a transaction to be authorised.
    ///
    /// An id belongs to the call that was refused, and to its user.
    private func policy(_ request: ClientRequest, _ user: String) -> ClientResponse? {
        let pairs = (request.url.query ?? "").split(separator: "&")
        let call = "\(request.method.rawValue) " + pairs.filter { !$0.hasPrefix("_txid=") }.joined(separator: "&")
        if let id = pairs.first(where: { $0.hasPrefix("_txid=") })?.dropFirst("_txid=".count) {
            world.record.count(.check, "a transaction at the API")
            let known = transactions[String(id)]
            if known?.call != call || known?.user != user {
                world.fail(.transaction, "\(id) of \(known?.call ?? "nothing") goes out with \(call) of \(user)")
            }
            return nil
        }
        let id = "tx-\(transactions.count)"
        transactions[id] = (call, user)
        provider.noteTransaction(id, of: user)
        world.note("    the policy wants \(id) for \(call) of \(user)")
        let advice: JSONObject = ["TransactionConditionAdvice": [.string(id)]]
        var response = ClientResponse(status: 401)
        try? response.fields.set(
            .wwwAuthenticate,
            checking:
                #"SSOADVICE realm="/alpha",advices="\#(Base64.encode(advice.serialized()))""#)
        return response
    }

    /// Whatever becomes of the answer, the token has left the server: it is the right one, or a rule is broken.
    private func check(_ token: String, at path: String, for users: String, _ id: String?) {
        guard let grant = ledger.grant(of: token) else { return }
        world.record.count(.check, "a token at the API")
        ledger.judgeUse(of: token, path)
        if let id { ledger.ends.judge([grant], id, "a token of \(grant.user) \(grant.client) goes out to \(path)") }
        if !users.split(separator: ",").contains(where: { $0 == grant.user }) {
            world.fail(.foreignToken, "a token of \(grant.user) goes out for \(users)")
        }
        let clients = ["/transactions": "transaction", "/work": "workforce", "/orders": "approver"]
        let wanted = Instance(clients[path] ?? "standard")
        // A payment takes either, the one of the sign-in first.
        guard grant.client != wanted.client, path != "/payments" || grant.client != "transaction" else {
            let age = world.now - grant.at
            if wanted.isElevated { world.record.count(.check, "a token of a step-up at the API") }
            if wanted.isElevated, age > elevatedLimit + Definition.storing + mix.skew {
                world.fail(.elevatedTooLong, "a token of a step-up goes out \(age) after it")
            }
            return
        }
        let rule = Instance(grant.client).isElevated ? Rule.elevatedOutside : .foreignClient
        world.fail(rule, "a token of the client \(grant.client) goes out to \(path)")
    }
}
