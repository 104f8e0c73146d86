import Basics
import Cryptography

/// Ids of challenges, made by the server and never adopted from a request.
enum StepUpIDs {
    /// The same for the same challenge to the same route: an API that asks again and again takes no more room in the
    /// session than once.
    ///
    /// A transaction does not count: each refusal brings a new one, which takes the place of the one before.
    static func make(_ challenge: StepUpChallenge) -> String {
        var named = challenge
        named.transaction = nil
        return "c_" + Base64URL.encode(Digest.hash(named.encoded).prefix(16))
    }
}
