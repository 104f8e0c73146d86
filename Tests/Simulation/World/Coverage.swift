/// What was exercised, by counts.
struct Coverage {
    /// The parts of the table.
    enum Kind: String, CaseIterable, Sendable {
        /// An operation and how it ended.
        case answer
        /// Something that went wrong on purpose.
        case fault
        /// What a rule looked at.
        case check
    }

    private(set) var counts: [Kind: [String: Int]] = [:]

    /// The rows that worlds of every kind reach, some hundreds of them taken together.
    static let rows: [(kind: Kind, name: String)] =
        [
            "api: 200", "api: 401 signed-out", "api: 403 step-up-required", "api: 503 store-unavailable",
            "cancel: 204", "flow: 410 flow-expired", "flow: continue", "flow: success", "logout: 204",
            "logout: 503 store-unavailable", "logout-all: 204", "logout-all: 503 store-unavailable",
            "next: 409 session-changed", "next: 409 subject-changed", "next: 410 flow-expired",
            "next: 503 provider-unavailable", "next: 503 store-unavailable", "next: failure authentication-failed",
            "next: failure outcome-unknown", "next: failure provider-unavailable", "next: no answer", "next: success",
            "go: 303 on", "go: 303 expired", "link: failure suspended-expired", "link: success",
            "poll: 503 provider-unavailable", "poll: continue", "poll: success", "resume: 409 no-pending-return",
            "resume: failure authentication-failed", "resume: success", "return: 303 no-pending-return",
            "return: 200", "return: 303 resume",
            "refresh: 200", "refresh: 401 signed-out", "refresh: 503 provider-unavailable",
            "refresh: 503 store-unavailable", "revoke: 204", "session: 200", "start: 409 session-changed",
            "start: 503 store-unavailable", "start: continue", "start: failure provider-unavailable",
            "start: no answer", "start: success", "user: 200", "user: 401 signed-out", "user: 503 store-unavailable",
            "davinci api: 200", "davinci api: 401 signed-out", "davinci api: 403 step-up-required",
            "davinci go: 303 on", "davinci logout: 204", "davinci next: 410 flow-expired", "davinci next: continue",
            "davinci next: error", "davinci next: failure account-mismatch", "davinci next: failure link-not-allowed",
            "davinci next: failure provider-unavailable", "davinci next: failure step-up-not-reached",
            "davinci next: success", "davinci poll: continue", "davinci poll: error", "davinci poll: success",
            "davinci refresh: 200", "davinci refresh: 401 signed-out", "davinci resume: success",
            "davinci revoke: 204", "davinci start: 503 provider-unavailable", "davinci start: continue",
            "davinci start: failure login-required", "davinci start: success", "davinci user: 200",
            "davinci user: 401 signed-out",
            "authz high: 204", "authz high: 400 malformed", "authz high: 401 insufficient-user-authentication",
            "authz high: 401 invalid-token", "authz high: 401 token-required", "authz signed-in: 204",
            "authz signed-in: 401 invalid-token", "authz signed-in: 401 token-required",
            "authz signed-in: 503 issuer-unavailable", "next: 429 too-many-requests", "poll: 429 too-many-requests",
            "refresh: 404 unknown-instance",
        ].map { (.answer, $0) }
        + [
            "a browser goes away", "a change message is lost", "a machine crashes", "a machine gets another key",
            "a machine reads its settings again", "an answer of the provider is lost",
            "an answer to a browser is lost", "the API calls a good token invalid", "the provider acts and hangs",
            "the provider fails", "the provider hangs before it acts", "the provider has too much to do",
            "a place of the queue cannot be read", "the provider is not available", "the provider is not reached",
            "the store fails after the effect",
            "the store does it later than it says", "the store fails before the effect",
            "the store goes away right after a commit", "the store is away",
            "the store is slow", "a clock jumps", "a machine has other clients from now on",
            "a machine has the file for itself", "a machine is told to stop", "the provider ends sessions by itself",
            "the provider keeps a refresh token", "the store is full",
        ].map { (.fault, $0) }
        + Set(Rule.allCases.flatMap(\.checks)).sorted().map { (.check, $0) }

    /// The rows that were not reached.
    var missing: [String] {
        Self.rows.filter { counts[$0.kind]?[$0.name] == nil }.map { "\($0.kind.rawValue) \($0.name)" }
    }

    mutating func count(_ kind: Kind, _ name: String, _ number: Int) {
        counts[kind, default: [:]][name, default: 0] += number
    }

    mutating func add(_ other: Coverage) {
        for (kind, names) in other.counts {
            for (name, number) in names { count(kind, name, number) }
        }
    }
}
