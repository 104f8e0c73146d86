package import Basics
internal import HTTPCore
internal import HTTPServer
package import ResourceServer

/// Answers gateways and proxies that ask whether a bearer token meets a requirement.
///
/// Bearer callers alone: a cookie is not looked at, so there is nothing that another site could make a browser do. A
/// token that was seen before, and a new one whose issuer's keys are at hand, are judged without waiting for anything.
package final class AuthzAPI: Sendable {
    /// The path that questions begin with.
    static let prefix = "/authz/"
    /// What logs and metrics call every question.
    static let route = "/authz/{requirement}"
    /// A requirement that is always there: the valid token of a user.
    private static let signedIn = Requirement(name: "signed-in")

    private let accessGuard: AccessGuard
    private let requirements: [String: Requirement]
    private let peers: [AddressRange]
    private let rate: RateLimiter?
    private let qualifiesSubjects: Bool

    /// Answers by a guard.
    ///
    /// - Parameters:
    ///   - settings: Requirements, peers and rate.
    ///   - accessGuard: Judges tokens.
    ///   - time: The clock of the rate.
    ///   - former: The one of the settings before, whose counts go on; nil at the start.
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

    /// Whether the public listener answers this peer.
    func answers(_ peer: PeerAddress) -> Bool {
        !peers.isEmpty && peers.contains { $0.contains(peer) }
    }

    /// Whether a request is a question, whoever asks.
    func isQuestion(_ request: ServerRequest) -> Bool { request.target.starts(withText: Self.prefix) }

    /// Answers one question; the caller has checked who asks.
    ///
    /// - Parameter request: Below `/authz/`.
    /// - Returns: The token's facts.
    /// - Throws: The challenge, or why nothing can be said.
    func answer(_ request: ServerRequest) async throws(Problem) -> OperationAnswer {
        let requirement = try requirement(request)
        let questioner = Questioner(request)
        if let decision = decideAtOnce(request, requirement, questioner) { return try answer(decision) }
        // Whatever has to wait may be made up.
        try rate?.check(questioner.key)
        let decision = await accessGuard.decide(
            authorization: request.headers.values("authorization"), otherTransports: Self.carriesToken(request),
            requirement, peer: questioner.text, deadline: request.deadline)
        return try answer(decision)
    }

    /// Answers one question when nothing has to be waited for, see `answer`.
    ///
    /// - Returns: What `answer` would return; nil when it would have to wait.
    /// - Throws: What `answer` would throw.
    func answerAtOnce(_ request: ServerRequest) throws(Problem) -> OperationAnswer? {
        try decideAtOnce(request, try requirement(request), Questioner(request)).map { (decision) throws(Problem) in
            try answer(decision)
        }
    }

    private func decideAtOnce(
        _ request: ServerRequest, _ requirement: Requirement, _ questioner: Questioner
    ) -> AccessDecision? {
        let otherTransports = Self.carriesToken(request)
        guard request.headers.count("authorization") == 1 else {
            return accessGuard.decideAtOnce(
                authorization: request.headers.values("authorization"), otherTransports: otherTransports, requirement,
                peer: questioner.text)
        }
        // Mostly the token is known, and then no copy of it is needed.
        var decision: AccessDecision?
        request.headers.forEachValue("authorization") { field in
            decision = accessGuard.decideAtOnce(
                field: field, otherTransports: otherTransports, requirement, peer: questioner.text)
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

    /// Whether the question, or the request it is about, carries a token in its query (RFC 6750 section 2.3).
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

    /// A query that cannot be read may hold one.
    private static func isToken(_ query: Substring) -> Bool {
        do {
            return try TokenInQuery.isIn(query)
        } catch {
            return true
        }
    }

    /// Nothing of what keeps content out of frames and guesses: there is no content, and who asked is no browser.
    static func headers(_ facts: TokenFacts, _ id: String) -> [ResponseHeader] {
        var headers: [ResponseHeader] = []
        headers.reserveCapacity(8)
        headers.append(notStored)
        headers.append(ResponseHeader("X-Request-Id", id))
        headers.append(ResponseHeader("X-Auth-Issuer", printable(facts.issuer)))
        // Each is always there: a gateway that copies what it finds then overwrites what the caller wrote there itself.
        // Of a client's own token nobody is the subject: whoever only looks there takes it for nobody's.
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

    /// Scopes in an order that does not change from answer to answer.
    private static func list(_ scopes: Set<String>) -> String {
        guard scopes.count > 1 else { return scopes.first.map(printable) ?? "" }
        return scopes.sorted().map(printable).joined(separator: " ")
    }

    /// Claims are texts of the issuer's: whatever cannot stand in a field is escaped, and `%` with it.
    ///
    /// Spaces at an end too: who reads the field takes them away, and another subject's name may be left.
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
    /// The same with a subject that is one user's among all issuers: an issuer has no `#` (RFC 8414 section 2), so the first
    /// one ends it.
    fileprivate var qualified: TokenFacts {
        var facts = self
        facts.subject = subject.map { issuer + "#" + $0 }
        if clientID == nil, isClientCredentials { facts.clientID = subject }
        return facts
    }
}
