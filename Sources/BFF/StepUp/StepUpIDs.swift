import Basics
import Cryptography

/// Ids of challenges, made by the server and never adopted from a request.
enum StepUpIDs {
    /// Makes the id of a challenge: equal for equal challenges to the same user and route, and of transactions to the
    /// same call.
    ///
    /// An API that repeats its challenge takes no more room in the session than one challenge: the part of the id that
    /// names the record is without the transaction. Each refusal brings a new transaction, which replaces the one
    /// before; an id of a former one then names another call, and counts no more.
    static func make(_ challenge: StepUpChallenge) -> String {
        var named = challenge
        named.transaction = nil
        let hash = Digest.hash(named.encoded)
        let call = challenge.transaction.map { Array($0.target.prefix(4)) } ?? Array(hash[12..<16])
        return "c_" + Base64URL.encode(Array(hash.prefix(12)) + call)
    }

    /// The part of an id that names the record.
    static func name(_ id: String) -> String { String(id.prefix(18)) }
}
