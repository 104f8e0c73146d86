internal import EventLoop

/// The conversation with one node that is asked where to go; a state machine without I/O.
protocol NodeQuestion {
    associatedtype Answer

    /// Takes the bytes to send; none are left then.
    mutating func takeBytes() -> [UInt8]

    /// Takes an answer; nil while the next one is due.
    mutating func answered(_ reply: RedisReply) throws(WireError) -> Answer?
}

/// Compares the answers of nodes that were asked the same.
protocol NodeVote {
    associatedtype Answer

    /// True once an answer came.
    var hasAnswer: Bool { get }
    /// The result, once it cannot change.
    var decision: Result<Answer, WireError>? { get }
    /// The result of the answers so far.
    var outcome: Result<Answer, WireError> { get }

    /// Notes what one node answered.
    mutating func add(_ answer: Result<Answer, WireError>)
}

/// Finds the primary that sentinels name.
typealias PrimaryFinder = NodeFinder<SentinelQuestion, PrimaryVote>

/// Finds the node of each slot of a cluster.
typealias ClusterFinder = NodeFinder<ClusterQuestion, ClusterVote>

/// Asks several nodes the same at once, so that a silent one costs little time; lives on an event thread.
final class NodeFinder<Question: NodeQuestion, Vote: NodeVote>: LinkUser, Finder where Question.Answer == Vote.Answer {
    typealias Outcome = Result<Question.Answer, WireError>
    typealias Done = (Outcome, Loop) -> Void

    private let questions: [(Endpoint, Question)]
    /// How long other nodes are waited for once one has answered.
    private let grace: Duration
    /// How long all of them are waited for; nil where the owner of the finder has a time of its own.
    private let patience: (wait: Duration, failure: WireError)?
    private var asked: [(link: Link, question: Question)] = []
    private var vote: Vote
    private var timers: [TimerID] = []
    private var isInGrace = false
    private var done: Done?

    private init(
        _ questions: [(Endpoint, Question)], _ vote: Vote, connectTimeout: Duration,
        patience: (Duration, WireError)? = nil, _ done: @escaping Done
    ) {
        self.questions = questions
        self.vote = vote
        grace = connectTimeout / 4
        self.patience = patience
        self.done = done
    }

    /// Begins to ask.
    func start(_ loop: Loop, make: (Endpoint, any LinkUser) -> Link) {
        if let patience { schedule(patience.wait, patience.failure, loop) }
        for (endpoint, question) in questions { asked.append((make(endpoint, self), question)) }
        for (link, _) in asked where done != nil { link.start(loop, after: nil) }
    }

    /// Finishes with the answers so far after a while.
    private func schedule(_ wait: Duration, _ failure: WireError, _ loop: Loop) {
        timers.append(
            loop.schedule(at: .now + wait) { [weak self] loop in
                guard let self else { return }
                finish(vote.hasAnswer ? vote.outcome : .failure(failure), loop)
            })
    }

    /// Ends the search.
    func end(_ loop: Loop) {
        done = nil
        for timer in timers { loop.cancel(timer) }
        timers = []
        let links = asked.map(\.link)
        asked = []
        for link in links { link.end(loop) }
    }

    private func settle(_ link: Link, _ answer: Outcome, _ loop: Loop) {
        guard let place = asked.firstIndex(where: { $0.link === link }) else { return }
        asked.remove(at: place)
        link.end(loop)
        vote.add(answer)
        if let decision = vote.decision { return finish(decision, loop) }
        guard vote.hasAnswer, !isInGrace else { return }
        isInGrace = true
        schedule(grace, .silent, loop)
    }

    private func finish(_ result: Outcome, _ loop: Loop) {
        guard let done else { return }
        end(loop)
        done(result, loop)
    }

    // MARK: Links

    func linked(_ link: Link, _ loop: Loop) {}

    func output(of link: Link, atLeast count: Int) -> [UInt8] {
        guard let place = asked.firstIndex(where: { $0.link === link }) else { return [] }
        return asked[place].question.takeBytes()
    }

    func received(_ reply: RedisReply, _ link: Link, _ loop: Loop) throws(WireError) {
        guard let place = asked.firstIndex(where: { $0.link === link }) else { return }
        guard let answer = try asked[place].question.answered(reply) else { return }
        settle(link, .success(answer), loop)
    }

    func failed(_ failure: WireError, _ link: Link, _ loop: Loop) {
        settle(link, .failure(failure), loop)
    }
}

extension NodeFinder where Question == SentinelQuestion, Vote == PrimaryVote {
    /// Makes a finder that asks all sentinels.
    ///
    /// - Parameters:
    ///   - sentinels: Those to ask.
    ///   - settings: The time of the connections.
    ///   - failed: The address that just turned out to be no primary.
    ///   - done: Called once, unless the search is ended before.
    convenience init(
        _ sentinels: RedisSettings.Sentinels, _ settings: RedisSettings, avoiding failed: Endpoint?,
        _ done: @escaping Done
    ) {
        self.init(
            sentinels.hosts.map { (.tcp(host: $0.host, port: $0.port), SentinelQuestion(sentinels)) },
            PrimaryVote(voters: sentinels.hosts.count, avoiding: failed), connectTimeout: settings.connectTimeout, done)
    }
}

extension NodeFinder where Question == ClusterQuestion, Vote == ClusterVote {
    /// The number of known nodes, and of seeds, that are asked at once.
    private static var most: Int { 4 }

    /// Makes a finder that asks some nodes of a cluster.
    ///
    /// - Parameters:
    ///   - cluster: Where nodes are.
    ///   - settings: Sign-in and time of the connections.
    ///   - known: The nodes that have slots as far as is known.
    ///   - done: Called once, unless the search is ended before.
    convenience init(
        _ cluster: RedisSettings.Cluster, _ settings: RedisSettings, known: [Endpoint] = [], _ done: @escaping Done
    ) {
        // Others the next time, so that those which are gone are got past.
        let seeds = cluster.nodes.map { Endpoint($0) }.shuffled().prefix(Self.most)
        var endpoints = Array(known.shuffled().prefix(Self.most))
        endpoints += seeds.filter { !endpoints.contains($0) }
        self.init(
            endpoints.map { ($0, ClusterQuestion(settings, of: $0)) }, ClusterVote(voters: endpoints.count),
            connectTimeout: settings.connectTimeout,
            patience: (settings.connectTimeout, .cluster(.connectTimeout)), done)
    }
}
