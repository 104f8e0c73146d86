/// The table of the model: which answers an operation may have, and for which reasons.
///
/// An answer that does not stand here is never allowed. Whoever adds an operation to the world adds its rows.
enum Allowed {
    /// What any operation may be answered with, when something goes wrong on purpose.
    private static let broken: [String: [Reason]] = [
        "503 store-unavailable": [.store], "504": [.store, .provider], "503 interrupted": [.left],
        "429 too-many-requests": [.rate], "404 unknown-instance": [.clients],
    ]

    /// What a step or a start may end in.
    private static let ends: [String: [Reason]] = [
        "success": [.always], "continue": [.always], "error": [.wrong, .waits, .provider, .store],
        "failure authentication-failed": [.wrong, .waits, .overtaken, .stepUpEndedThere],
        "failure provider-unavailable": [.provider, .overtaken, .endedMeanwhile],
        "failure outcome-unknown": [.provider, .store, .replaced, .overtaken], "failure step-up-not-reached": [.raised],
        "failure account-mismatch": [.raised, .otherUser], "failure journey-expired": [.old],
        "failure provider-refused": [.waits], "failure login-required": [.silent, .endedElsewhere],
        "failure suspended-expired": [.waits], "failure interaction-expired": [.waits, .old],
        "failure link-not-allowed": [.foreignLinks], "failure configuration-error": [.endedThere],
        "409 session-changed": [.replaced], "409 subject-changed": [.otherUser],
        "503 provider-unavailable": [.provider],
    ]

    private static let steps: [String: [Reason]] = [
        "409 stale-step": [.past], "409 step-in-progress": [.busy], "410 flow-expired": [.over],
        "422 invalid-answers": [.past, .waits],
    ]

    private static let facts: [String: [Reason]] = [
        "200": [.always], "401 signed-out": [.signedOut], "409 session-changed": [.replaced],
        "403 interaction-needed": [.provider, .endedThere, .overtaken], "503 provider-unavailable": [.provider],
        "403 step-up-required": [.stepsUp],
    ]

    private static let logout: [String: [Reason]] = ["204": [.always], "409 session-changed": [.replaced]]

    private static let rows: [String: [String: [Reason]]] = [
        "start": with(ends, ["401 signed-out": [.signedOut], "422 not-allowed": [.goalOver]]),
        "link": ends,
        "next": with(ends, steps),
        "poll": with(ends, steps),
        "resume": with(ends, ["409 no-pending-return": [.notLeft], "409 step-in-progress": [.busy]]),
        "flow": with(ends, ["410 flow-expired": [.over]]),
        "cancel": ["204": [.always], "409 session-changed": [.replaced]],
        "go": ["303 on": [.always], "303 expired": [.notLeft]],
        "return": ["200": [.always], "303 resume": [.always], "303 no-pending-return": [.notLeft]],
        "session": ["200": [.always], "409 session-changed": [.replaced]],
        "user": facts,
        "refresh": facts,
        "api": [
            "200": [.always], "401 signed-out": [.signedOut], "403 step-up-required": [.weak],
            "403 step-up-failed": [.weak], "403 interaction-needed": [.provider, .endedThere],
            "502 upstream-failed": [.api, .provider, .replaced], "502 provider-refused": [.invalidStepUp],
            "503 interrupted": [.left, .replaced, .api, .provider], "503 provider-unavailable": [.provider],
        ],
        "revoke": with(logout, ["200": [.provider]]),
        "logout": logout,
        "logout-all": logout,
        "final-logout": ["204": [.always]],
    ]

    private static func with(_ rows: [String: [Reason]], _ more: [String: [Reason]]) -> [String: [Reason]] {
        rows.merging(more) { $0 + $1 }
    }

    /// The reasons for which an operation may be answered so; nil where it may not be.
    static func reasons(_ name: String, _ outcome: String) -> [Reason]? {
        rows[name]?[outcome] ?? (rows[name] == nil ? nil : broken[outcome])
    }
}
