import Basics

/// The owners of claims whose answers were lost, so that a lease which the server has given all the same is not held by
/// nobody until its end.
struct LostClaims {
    private struct Claim {
        let owner: String
        let until: Timestamp
    }

    /// The most claims that are known; beyond that leases wait for their end.
    private static let most = 1024
    private var claims: [String: Claim] = [:]

    /// Notes a claim without an answer.
    mutating func note(_ name: String, _ owner: String, until end: Timestamp) {
        // rule: lost claims have a bounded number
        if claims.count >= Self.most { claims = [:] }
        claims[name] = Claim(owner: owner, until: end)
    }

    /// The owner of a claim without an answer, once; nil if there is none whose lease may live.
    mutating func take(_ name: String, at now: Timestamp) -> String? {
        guard let claim = claims.removeValue(forKey: name), now < claim.until else { return nil }
        return claim.owner
    }
}
