package import Basics
internal import HTTPCore
internal import HTTPServer
package import ResourceServer

/// Answers gateways and proxies that ask whether a bearer token meets a requirement.
///
/// It judges bearer tokens only and ignores cookies, so another site gains nothing by making a browser call it. It
/// judges a token that it has seen before, and a new one whose issuer's keys are in memory, without waiting.
package final class AuthzAPI: Sendable {
    /// The path prefix of questions.
    static let prefix = "/authz/"
    /// The route of every question in logs and metrics.
    static let route = "/authz/{requirement}"
    /// A requirement that always exists: the valid token of a user.
    private static let signedIn = Requirement(name: "signed-in")

    private let accessGuard: AccessGuard
    private let requirements: [String: Requirement]
    private let peers: [AddressRange]
    private let rate: RateLimiter?
    private let qualifiesSubjects: Bool

    /// Makes the API over a guard.
    ///
    /// - Parameters:
    ///   - settings: Requirements, peers and rate.
    ///   - accessGuard: Judges tokens.
    ///   - time: The clock of the rate limit.
    ///   - former: The API of the previous settings, whose counts continue; nil at the start.
    package init(
        _ settings: AuthzSettings, accessGuard: AccessGuard, time: any TimeSource = SystemTime(),
        after former: AuthzAPI? = nil
    ) {
        self.accessGuard = accessGuard
        peers = settings.peers
        rate = RateLimiter.of(settings.rate, time, after: former?.rate)
        qualifiesSubjects = settings.qualifiesSubjects
        requirements = Dictionary((settings.requirements + [Self.signedIn]).map { ($0.name, $0) }) { first, _ in first }
    }

    /// True if the public listener answers questions of this peer.
    func answers(_ peer: PeerAddress) -> Bool {
        !peers.isEmpty && peers.contains { $0.contains(peer) }
    }

    /// True if a request is a question, from any peer.
    func isQuestion(_ request: ServerRequest) -> Bool { request.target.starts(withText: Self.prefix) }

    /// Answers one question; the caller has checked the peer.
    ///
    /// - Parameter request: A request below `/authz/`.
    /// - Returns: The token's facts.
    /// - Throws: The challenge, or the reason why the token cannot be judged.
    func answer(_ request: ServerRequest) async throws(Problem) -> OperationAnswer {
        let requirement = try requirement(request)
        let client = GatewayClient(request)
        if let decision = decideAtOnce(request, requirement, client) { return try answer(decision) }
        // A token that needs waiting may be invented, so such questions are rate limited.
        try rate?.check(client.key)
        let decision = await accessGuard.decide(
            authorization: request.headers.values("authorization"), otherTransports: Self.carriesToken(request),
            requirement, peer: client.text, deadline: request.deadline)
        return try answer(decision)
    }

    /// Answers one question if that needs no waiting, see `answer`.
    ///
    /// - Returns: The result of `answer`; nil when it would have to wait.
    /// - Throws: The error of `answer`.
    func answerAtOnce(_ request: ServerRequest) throws(Problem) -> OperationAnswer? {
        try decideAtOnce(request, try requirement(request), GatewayClient(request)).map { (decision) throws(Problem) in
            try answer(decision)
        }
    }

    private func decideAtOnce(
        _ request: ServerRequest, _ requirement: Requirement, _ client: GatewayClient
    ) -> AccessDecision? {
        let otherTransports = Self.carriesToken(request)
        guard request.headers.count("authorization") == 1 else {
            return accessGuard.decideAtOnce(
                authorization: request.headers.values("authorization"), otherTransports: otherTransports, requirement,
                peer: client.text)
        }
        // Usually the token is known, and then it need not be copied.
        var decision: AccessDecision?
        request.headers.forEachValue("authorization") { field in
            decision = accessGuard.decideAtOnce(
                field: field, otherTransports: otherTransports, requirement, peer: client.text)
        }
        return decision
    }

    private func requirement(_ request: ServerRequest) throws(Problem) -> Requirement {
        let name = Substring(request.path.utf8.dropFirst(Self.prefix.utf8.count))
        guard let requirement = requirements[String(name)], requirement.name.isSameText(as: name) else {
            throw Problem(.notFound)
        }
        guard request.method == .get || request.method == .head else {
            var problem = Problem(.methodNotAllowed)
            problem.headers = [ResponseHeader("Allow", "GET, HEAD")]
            throw problem
        }
        return requirement
    }

    private func answer(_ decision: AccessDecision) throws(Problem) -> OperationAnswer {
        switch decision {
        case .allow(let facts): return .allowed(qualifiesSubjects ? facts.qualified : facts)
        case .challenge(let challenge): throw Problem(challenge)
        case .unavailable(let wait):
            var problem = Problem(.issuerUnavailable)
            problem.retryAfter = wait
            throw problem
        }
    }

    /// True if the question, or the request that it is about, carries a token in its query (RFC 6750 section 2.3).
    private static func carriesToken(_ request: ServerRequest) -> Bool {
        if let query = request.query, isToken(query) { return true }
        for name in ["x-original-uri", "x-forwarded-uri", "x-original-url"] where request.headers.count(name) > 0 {
            for address in request.headers.values(name) {
                if let mark = address.utf8.firstIndex(of: UInt8(ascii: "?")),
                    isToken(address[address.utf8.index(after: mark)...])
                {
                    return true
                }
            }
        }
        return false
    }

    /// True if the query holds a token, or cannot be read and so may hold one.
    private static func isToken(_ query: Substring) -> Bool {
        do {
            return try TokenInQuery.isIn(query)
        } catch {
            return true
        }
    }

    /// The header fields of a 204 to a gateway; none against framing and content sniffing, because there is no content
    /// and the caller is not a browser.
    static func headers(_ facts: TokenFacts, _ id: String) -> [ResponseHeader] {
        var headers: [ResponseHeader] = []
        headers.reserveCapacity(8)
        headers.append(notStored)
        headers.append(ResponseHeader("X-Request-Id", id))
        headers.append(ResponseHeader("X-Auth-Issuer", printable(facts.issuer)))
        // Each field is always present, so a gateway that copies the fields overwrites values that the caller itself
        // sent.
        // A client's own token has an empty subject: a reader of the subject alone takes it for no user's token.
        let isMachine = facts.isClientCredentials
        headers.append(ResponseHeader("X-Auth-Subject", isMachine ? "" : printable(facts.subject ?? "")))
        let client = facts.clientID ?? (isMachine ? facts.subject : nil)
        headers.append(ResponseHeader("X-Auth-Client", printable(client ?? "")))
        headers.append(ResponseHeader("X-Auth-Scope", list(facts.scopes)))
        headers.append(ResponseHeader("X-Auth-Acr", printable(facts.acr ?? "")))
        headers.append(ResponseHeader("X-Auth-Level", facts.authLevel.map { String($0) } ?? ""))
        return headers
    }

    private static let notStored = ResponseHeader("Cache-Control", "no-store")

    /// The scopes in a fixed order, the same in every answer.
    private static func list(_ scopes: Set<String>) -> String {
        guard scopes.count > 1 else { return scopes.first.map(printable) ?? "" }
        return scopes.sorted().map(printable).joined(separator: " ")
    }

    /// A claim as the value of a header field: claims are texts of the issuer, so characters that a field cannot hold
    /// are escaped, and `%` with them.
    ///
    /// Spaces at either end are escaped too: a reader of the field strips them, which could leave another subject's
    /// name.
    private static func printable(_ text: String) -> String {
        let space = UInt8(ascii: " ")
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "%") }), text.utf8.first != space,
            text.utf8.last != space
        {
            return text
        }
        return PercentEncoding.encode(text)
    }
}

extension TokenFacts {
    /// The facts with a subject that is unique among all issuers, `issuer#subject`: an issuer has no `#` (RFC 8414
    /// section 2), so the first `#` ends it.
    fileprivate var qualified: TokenFacts {
        var facts = self
        facts.subject = subject.map { issuer + "#" + $0 }
        if clientID == nil, isClientCredentials { facts.clientID = subject }
        return facts
    }
}
