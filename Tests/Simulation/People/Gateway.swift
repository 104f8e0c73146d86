import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON

/// A gateway in front of an API of somebody else's: it asks `/authz/…` about the tokens that callers bring.
///
/// Callers bring what clients were given, whether it is good or not, texts that nobody was given, and cookies of browsers,
/// which are worth nothing there.
///
/// Sendable invariant: one thread, as of `World`.
final class Gateway: @unchecked Sendable {
    private static let most = 40
    /// How long an answer of the provider is kept, and how long a question may take.
    private static let kept = Duration.seconds(10 + 10)

    private let cluster: Cluster
    private let browsers: [Browser]
    private var numbers: SeededNumbers
    /// Since when tokens are known to be no good.
    private var bad: [String: Duration] = [:]
    private var asked = 0
    /// True once the users have done all that they do.
    var isAlone = false

    init(_ cluster: Cluster, _ browsers: [Browser]) {
        self.cluster = cluster
        self.browsers = browsers
        numbers = SeededNumbers(cluster.surroundings.world.seed, "gateway")
    }

    private var world: World { cluster.surroundings.world }

    func run() async {
        while asked < Self.most, !isAlone, !world.isEnding {
            await world.pass(numbers.span(upTo: .seconds(numbers.happens(0.3) ? 2 : 60)))
            let requirement = numbers.pick(["signed-in", "high", "high"])
            switch numbers.below(8) {
            case 0: await bringCookie(requirement)
            case 1: await bring("nobody-was-given-this-\(numbers.next())", requirement)
            case 2: await ask(requirement, [], query: "?access_token=\(token() ?? "none")").map(refuse)
            default:
                guard let token = token() else { continue }
                await bring(token, requirement)
            }
        }
    }

    /// An access token that some client was given.
    private func token() -> String? {
        let known = cluster.ledger.accessTokens
        guard !known.isEmpty else { return nil }
        return numbers.happens(0.7) ? known[max(0, known.count - 1 - numbers.below(4))] : numbers.pick(known)
    }

    // MARK: Questions

    private func ask(
        _ requirement: String, _ fields: [(name: String, value: String)], query: String = ""
    ) async -> Response? {
        asked += 1
        let machines = cluster.answering
        guard !machines.isEmpty else { return nil }
        let machine = numbers.pick(machines)
        let id = "gateway-\(asked)"
        let own = [
            (name: "Host", value: "app.example.com"), (name: "X-Request-Id", value: id),
            (name: "X-Forwarded-For", value: "10.1.0.\(1 + numbers.below(3))"),
        ]
        let request = ServerRequest(
            method: .get, target: "/authz/\(requirement)\(query)", headers: RequestHeaders(own + fields),
            deadline: .now + .seconds(10))
        let response = await machine.answer(request, id: id, patience: .seconds(10)).answer.get().response
        let outcome = response?.outcome ?? "no answer"
        world.note("gateway \(id) \(requirement): \(outcome)")
        world.record.mark("\(id) \(outcome)", world.now)
        world.record.count(.answer, "authz \(requirement): \(outcome)")
        return response
    }

    private func bringCookie(_ requirement: String) async {
        let cookies = browsers.flatMap(\.given)
        guard !cookies.isEmpty else { return }
        let cookie = numbers.pick(cookies)
        await ask(requirement, [(name: "Cookie", value: "\(cookie.name)=\(cookie.value)")]).map(refuse)
    }

    private func refuse(_ response: Response) {
        world.record.count(.check, "a question without a token")
        if response.status < 400 { world.fail(.wrongVerdict, "a call without a token is let in") }
    }

    private func bring(_ token: String, _ requirement: String) async {
        let began = world.now
        let wasGood = cluster.provider.isGood(token)
        if !wasGood, bad[token] == nil { bad[token] = began }
        let field = [(name: "Authorization", value: "Bearer \(token)")]
        guard let response = await ask(requirement, field) else { return }
        judge(response, token, requirement, began, wasGood: wasGood)
        guard !wasGood, response.status < 300, numbers.happens(0.7) else { return }
        // What was good a moment ago is kept for some seconds.
        await world.pass(Self.kept + cluster.surroundings.mix.skew)
        guard let later = await ask(requirement, field) else { return }
        judge(later, token, requirement, world.now, wasGood: false)
    }

    // MARK: Verdicts

    private func judge(
        _ response: Response, _ token: String, _ requirement: String, _ began: Duration, wasGood: Bool
    ) {
        world.record.count(.check, wasGood ? "a verdict on a good token" : "a verdict on a token that is no good")
        let mix = cluster.surroundings.mix
        func fail(_ what: String) { world.fail(.wrongVerdict, "/authz/\(requirement) \(what)") }
        let grant = cluster.ledger.grant(of: token)
        switch response.status {
        case 204:
            guard let grant else { return fail("lets in what nobody was given") }
            if let since = bad[token], began - since >= Self.kept + mix.skew {
                fail("lets in a token of \(grant.user) that is no good for \(began - since)")
            }
            let isOfUser = response.facts["x-auth-subject"]?.contains(grant.user) == true
            if response.facts["x-auth-client"] != grant.client || !isOfUser {
                fail("says of a token of \(grant.user) \(grant.client): \(response.facts)")
            }
            if requirement == "high" { judgeStrength(of: grant, fail) }
        case 401 where response.problem == "invalid-token":
            if wasGood, cluster.provider.isGood(token) { fail("calls a good token invalid") }
        case 401, 403: break
        default:
            if mix.isQuick { fail("answers \(response.outcome), although nothing is wrong") }
        }
    }

    /// Some clients are too weak, and a strong sign-in grows old.
    private func judgeStrength(of grant: Ledger.Gift, _ fail: (String) -> Void) {
        world.record.count(.check, "a verdict on the strength of a sign-in")
        if grant.level < Definition.elevatedLevel { fail("finds a sign-in of level \(grant.level) strong") }
        let age = world.now - grant.at
        let limit = Definition.elevatedLimit * 2 + Self.kept + Definition.storing + cluster.surroundings.mix.skew
        if age > limit { fail("finds a sign-in fresh that is \(age) old") }
    }
}
