/// Counts the answers of sentinels and decides which one is taken.
///
/// All are asked at once, so that a silent one costs no time. One that was cut off names an old primary for a while, so
/// the address that more of them name counts.
struct PrimaryVote: NodeVote {
    private let voters: Int
    private let failed: Endpoint?
    private var answers: [Endpoint] = []
    private var failures: [WireError] = []

    /// Makes a vote; `failed` is the address that just turned out to be no primary.
    init(voters: Int, avoiding failed: Endpoint?) {
        self.voters = voters
        self.failed = failed
    }

    /// True once an answer came.
    var hasAnswer: Bool { !answers.isEmpty }

    /// Notes what one sentinel answered.
    mutating func add(_ answer: Result<Endpoint, WireError>) {
        switch answer {
        case .success(let endpoint): answers.append(endpoint)
        case .failure(let failure): failures.append(failure)
        }
    }

    /// The result, once it cannot change: most of all sentinels agree, or none is left.
    var decision: Result<Endpoint, WireError>? {
        // rule: more than half of all sentinels decide at once
        if let best, votes(for: best) * 2 > voters { return .success(best) }
        return answers.count + failures.count == voters ? outcome : nil
    }

    /// The result of the answers so far.
    var outcome: Result<Endpoint, WireError> {
        if let best { return .success(best) }
        return .failure(.sentinels(failures.last ?? .silent))
    }

    private func votes(for endpoint: Endpoint) -> Int { answers.count { $0 == endpoint } }

    /// The answer with most votes; of several, one that did not just turn out to be no primary.
    private var best: Endpoint? {
        answers.max { one, other in
            (votes(for: one), one == failed ? 0 : 1) < (votes(for: other), other == failed ? 0 : 1)
        }
    }
}
