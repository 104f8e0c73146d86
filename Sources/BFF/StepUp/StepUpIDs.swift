import Basics
import Cryptography

/// Ids of challenges, made by the server and never adopted from a request.
enum StepUpIDs {
    /// Makes the id of a challenge: equal for equal challenges to the same route.
    ///
    /// An API that repeats its challenge takes no more room in the session than one challenge. The transaction is not
    /// part of the id: each refusal brings a new transaction, which replaces the one before.
    static func make(_ challenge: StepUpChallenge) -> String {
        var named = challenge
        named.transaction = nil
        return "c_" + Base64URL.encode(Digest.hash(named.encoded).prefix(16))
    }
}
