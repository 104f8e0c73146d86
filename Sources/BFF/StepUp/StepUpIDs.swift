import Basics
import Cryptography

/// Ids of challenges, made by the server and never adopted from a request.
enum StepUpIDs {
    /// The same for the same challenge: an API that asks again and again takes no more room in the session than once.
    static func make(_ challenge: StepUpChallenge) -> String {
        "c_" + Base64URL.encode(Digest.hash(challenge.encoded).prefix(16))
    }
}
