internal import Basics

/// One signed-in user at the provider.
struct SSORecord: Sendable {
    /// The value that the client sends.
    let token: String
    /// The same through upgrades: `sid` of ID tokens.
    let id: String
    let user: String
    let level: Int
    let amr: [String]
    /// The journeys that it went through; what an acr value is judged by in the dialect `openam`.
    var journeys: [String] = []
    /// When the user last proved who they are.
    let authTime: Timestamp
    let created: Timestamp
    var lastUse: Timestamp

    /// A new value in AM's form: random, with the stars and dots that a careless client trips over.
    static func newToken() -> String {
        "\(random(20)).*AAJTSQACMDEAAlNLABw\(random(21))AAR0eXBlAANDVFMAAlMxAAA.*"
    }

    /// A value of a session that lies with the client: long, as the session is inside.
    static func newClientSideToken() -> String {
        "\(random(20)).*AAJTSQACMDEAAlMxAAA.*eyJ0eXAiOiJKV1QiLCJjdHkiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.\(random(900)).\(random(32))"
    }

    /// A new value in the form of OpenAM.
    static func newOpenAMToken() -> String { "AQIC5wM2LY4Sfc\(random(26)).*AAJTSQACMDEAAlNLABM\(random(15))*" }

    static func random(_ count: Int) -> String { Identifier.random(count) }
}
