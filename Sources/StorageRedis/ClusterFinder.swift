internal import EventLoop

/// Asks some nodes of a cluster which node has which slots; lives on an event thread.
final class ClusterFinder: LinkUser, Finder {
    typealias Done = (Result<ClusterView, WireError>, Loop) -> Void

    /// How long other nodes are waited for once one has answered, as a part of the time for connecting.
    private static let graceShare = 4
    /// How many of the known nodes, and how many of the seeds, are asked at once.
    private static let asked = 4

    private let settings: RedisSettings
    private let endpoints: [Endpoint]
    private var asked: [(link: Link, question: ClusterQuestion)] = []
    private var vote: ClusterVote
    private var timers: [TimerID] = []
    private var isInGrace = false
    private var done: Done?

    /// Makes a finder.
    ///
    /// - Parameters:
    ///   - cluster: Where nodes are.
    ///   - settings: TLS, sign-in and time of the connections.
    ///   - known: The nodes that have slots as far as is known.
    ///   - done: Called once, unless the search is ended before.
    init(
        _ cluster: RedisSettings.Cluster, _ settings: RedisSettings, known: [Endpoint] = [], _ done: @escaping Done
    ) {
        self.settings = settings
        self.done = done
        // Others the next time, so that those which are gone are got past.
        let seeds = cluster.nodes.map { Endpoint($0) }.shuffled().prefix(Self.asked)
        var endpoints = Array(known.shuffled().prefix(Self.asked))
        endpoints += seeds.filter { !endpoints.contains($0) }
        self.endpoints = endpoints
        vote = ClusterVote(voters: endpoints.count)
    }

    /// Begins to ask.
    func start(_ loop: Loop, make: (Endpoint, any LinkUser) -> Link) {
        schedule(settings.connectTimeout, .cluster(.connectTimeout), loop)
        for endpoint in endpoints {
            asked.append((make(endpoint, self), ClusterQuestion(settings, of: endpoint)))
        }
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

    private func settle(_ link: Link, _ answer: Result<ClusterView, WireError>, _ loop: Loop) {
        guard let place = asked.firstIndex(where: { $0.link === link }) else { return }
        asked.remove(at: place)
        link.end(loop)
        vote.add(answer)
        if let decision = vote.decision { return finish(decision, loop) }
        guard vote.hasAnswer, !isInGrace else { return }
        isInGrace = true
        schedule(settings.connectTimeout / Self.graceShare, .silent, loop)
    }

    private func finish(_ result: Result<ClusterView, WireError>, _ loop: Loop) {
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
        guard let view = try asked[place].question.answered(reply) else { return }
        settle(link, .success(view), loop)
    }

    func failed(_ failure: WireError, _ link: Link, _ loop: Loop) {
        settle(link, .failure(failure), loop)
    }
}
