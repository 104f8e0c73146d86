import Basics

/// The owners of claims whose answers were lost, so that a lease which the server has given all the same is not held by
/// nobody until its end.
struct LostClaims {
    /// A claim without an answer.
    struct Claim {
        let owner: String
        let until: Timestamp
    }

    /// The most leases whose claims are known; beyond that leases wait for their end.
    private static let most = 1024
    /// The most claims of one lease: a process has a few at a time.
    private static let mostOfOne = 8
    private var claims: [String: [Claim]] = [:]

    /// Notes claims of a lease without an answer.
    mutating func note(_ name: String, _ new: some Sequence<Claim>) {
        // rule: lost claims have a bounded number
        if claims.count >= Self.most { claims = [:] }
        let known = claims[name, default: []] + new
        // rule: a lease has a bounded number of lost claims
        claims[name] = known.suffix(Self.mostOfOne)
    }

    /// The claims without an answer whose lease may live, once.
    mutating func take(_ name: String, at now: Timestamp) -> [Claim] {
        (claims.removeValue(forKey: name) ?? []).filter { now < $0.until }
    }
}
