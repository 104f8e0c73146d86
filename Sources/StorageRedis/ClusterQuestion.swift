internal import Basics

/// The slots of a cluster as one of its nodes sees them.
struct ClusterView: Equatable {
    let map: SlotMap
    /// True if the node is in touch with most of the others.
    let isSound: Bool
    /// Grows with each fail-over; a node that was cut off stays behind.
    let epoch: UInt64
}

/// The conversation with one node of a cluster: sign-in, then its state and its slots.
///
/// A state machine without I/O.
struct ClusterQuestion: NodeQuestion {
    private enum Step {
        case signIn, info, slots
    }

    private let asked: Endpoint
    private var bytes: [UInt8] = []
    private var steps: [Step]
    private var state: (isSound: Bool, epoch: UInt64) = (false, 0)

    init(_ settings: RedisSettings, of asked: Endpoint) {
        self.asked = asked
        steps = [.info, .slots]
        if let signIn = Greeting.signIn(settings) {
            steps.insert(.signIn, at: 0)
            bytes = signIn.encoded([:])
        }
        bytes += RedisCommand("CLUSTER", "INFO").encoded([:]) + RedisCommand("CLUSTER", "SLOTS").encoded([:])
    }

    /// Takes the bytes to send; none are left then.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Takes an answer.
    ///
    /// - Returns: The view of the node; nil while the next answer is due.
    /// - Throws: `.refused`, `.forbidden`, `.noCluster` or `.malformed`.
    mutating func answered(_ reply: RedisReply) throws(WireError) -> ClusterView? {
        guard !steps.isEmpty else { throw .malformed }
        let step = steps.removeFirst()
        if let kind = reply.errorKind {
            switch (step, kind) {
            case (.info, "NOPERM"): throw .forbidden("+cluster|info")
            case (.slots, "NOPERM"): throw .forbidden("+cluster|slots")
            // A server that is no node says so in words alone.
            case (.info, "ERR"), (.slots, "ERR"): throw .noCluster
            default: throw .refused(kind)
            }
        }
        switch step {
        case .signIn:
            guard reply == .status("OK") else { throw .malformed }
        case .info:
            guard let text = reply.bytes else { throw .malformed }
            state = Self.state(String(decoding: text, as: UTF8.self))
        case .slots:
            guard let map = SlotMap(reply, from: asked) else { throw .malformed }
            return ClusterView(map: map, isSound: state.isSound, epoch: state.epoch)
        }
        return nil
    }

    private static func state(_ text: String) -> (isSound: Bool, epoch: UInt64) {
        var state: (isSound: Bool, epoch: UInt64) = (false, 0)
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            if parts[0] == "cluster_state" { state.isSound = parts[1] == "ok" }
            if parts[0] == "cluster_current_epoch" { state.epoch = UInt64(parts[1]) ?? 0 }
        }
        return state
    }
}

/// Compares the answers of nodes and decides which view of the cluster counts.
///
/// All are asked at once, so that a silent one costs little time. One that was cut off has an old view, so a node in touch
/// with most others counts before one that is not, and then the higher epoch.
struct ClusterVote: NodeVote {
    private let voters: Int
    private var best: ClusterView?
    private var answers = 0
    private var failures: [WireError] = []

    init(voters: Int) {
        self.voters = voters
    }

    /// True once an answer came.
    var hasAnswer: Bool { answers > 0 }

    /// Notes what one node answered.
    mutating func add(_ answer: Result<ClusterView, WireError>) {
        switch answer {
        case .success(let view):
            answers += 1
            // rule: of several views of a cluster the newest counts
            if best.map({ ($0.isSound ? 1 : 0, $0.epoch) < (view.isSound ? 1 : 0, view.epoch) }) ?? true { best = view }
        case .failure(let failure): failures.append(failure)
        }
    }

    /// The result, once more than half of all have answered, or none is left.
    var decision: Result<ClusterView, WireError>? {
        answers * 2 > voters || answers + failures.count == voters ? outcome : nil
    }

    /// The result of the answers so far.
    var outcome: Result<ClusterView, WireError> {
        if let best { return .success(best) }
        return .failure(.cluster(failures.last ?? .silent))
    }
}
