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
        + [
            "401 signed-out", "a cookie handed out again", "a flow that begins in a session",
            "a flow that goes on after a return", "a handle by which somebody leaves", "a link that is opened",
            "a link that is opened in another browser", "a poll after the end of its wait", "a poll that is held",
            "a poll that the provider gets", "a return that the provider hears of", "a session that is ended",
            "a step that the provider gets", "an answer that is searched for tokens", "an answer that was given before",
            "somebody who comes back in time", "somebody who has come back", "a sign-in that is expected to last",
            "a sign-in when faults have stopped", "a token at the API", "a transaction at the API",
            "an answer to a replaced cookie", "an answer to a thief", "an answer to a thief whose cookie is over",
            "facts that a thief gets", "a token that goes out for a thief",
            "facts after a logout", "facts of a client with limits", "facts of a user",
            "something that lives at the provider at the end",
            "a call of PingOne's", "a challenge that PingOne is asked for", "a cookie that PingOne gets",
            "a page that PingOne gets answered", "a poll that PingOne gets", "a return that PingOne hears of",
            "a pause that PingOne wants", "a sign-off at PingOne", "a start that shows nothing",
            "a call beyond its rate", "a call within its rate", "a machine that stops", "a question without a token",
            "a renewal that was asked for", "a verdict on a good token", "a verdict on a token that is no good",
            "a verdict on the strength of a sign-in", "forced and unforced renewals at once",
            "two arrivals at once", "two polls at once",
            "the queue of revocations", "the store a day later",
        ].map { (.check, $0) }

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
