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
    /// When the user last proved who they are.
    let authTime: Timestamp
    let created: Timestamp
    var lastUse: Timestamp

    /// A new value in AM's form: random, with the stars and dots that a careless client trips over.
    static func newToken() -> String {
        "\(random(20)).*AAJTSQACMDEAAlNLABw\(random(21))AAR0eXBlAANDVFMAAlMxAAA.*"
    }

    static func random(_ count: Int) -> String { Identifier.random(count) }
}
