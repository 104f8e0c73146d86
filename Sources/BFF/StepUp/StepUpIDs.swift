import Cryptography

/// Ids of challenges, made by the server and never adopted from a request.
enum StepUpIDs {
    static func make() -> String { SecureRandom.token(16) }
}
