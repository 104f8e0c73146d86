internal import Basics

/// A session of a user at the provider.
struct SSORecord: Sendable {
    /// The session token that the client sends.
    let token: String
    /// The id of the session, `sid` of ID tokens, which upgrades do not change.
    let id: String
    let user: String
    let level: Int
    let amr: [String]
    /// The journeys that the session went through; the dialect `openam` judges acr values by them.
    var journeys: [String] = []
    /// The time of the user's last authentication.
    let authTime: Timestamp
    let created: Timestamp
    var lastUse: Timestamp

    /// A new token in AM's form: random, with stars and dots, which a careless client mishandles.
    static func newToken() -> String {
        "\(random(20)).*AAJTSQACMDEAAlNLABw\(random(21))AAR0eXBlAANDVFMAAlMxAAA.*"
    }

    /// The token of a client-side session: long, because it contains the session.
    static func newClientSideToken() -> String {
        "\(random(20)).*AAJTSQACMDEAAlMxAAA.*eyJ0eXAiOiJKV1QiLCJjdHkiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.\(random(900)).\(random(32))"
    }

    /// A new token in OpenAM's form.
    static func newOpenAMToken() -> String { "AQIC5wM2LY4Sfc\(random(26)).*AAJTSQACMDEAAlNLABM\(random(15))*" }

    static func random(_ count: Int) -> String { Identifier.random(count) }
}
