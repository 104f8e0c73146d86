internal import EventLoop

/// Asks all sentinels for the address of the primary; lives on the event thread.
final class PrimaryFinder: LinkUser, Finder {
    typealias Done = (Result<Endpoint, WireError>, Loop) -> Void

    /// How long other sentinels are waited for once one has answered, as a part of the time for connecting.
    private static let graceShare = 4

    private let sentinels: RedisSettings.Sentinels
    private let grace: Duration
    private var asked: [(link: Link, question: SentinelQuestion)] = []
    private var vote: PrimaryVote
    private let failed: Endpoint?
    private var timer: TimerID?
    private var done: Done?

    /// Makes a finder.
    ///
    /// - Parameters:
    ///   - sentinels: Those to ask.
    ///   - settings: TLS and time of the connections.
    ///   - failed: The address that just turned out to be no primary.
    ///   - done: Called once, unless the search is ended before.
    init(
        _ sentinels: RedisSettings.Sentinels, _ settings: RedisSettings, avoiding failed: Endpoint?,
        _ done: @escaping Done
    ) {
        self.sentinels = sentinels
        self.failed = failed
        self.done = done
        grace = settings.connectTimeout / Self.graceShare
        vote = PrimaryVote(voters: sentinels.hosts.count)
    }

    /// Begins to ask.
    func start(_ loop: Loop, make: (Endpoint, any LinkUser) -> Link) {
        for host in sentinels.hosts {
            asked.append((make(.tcp(host: host.host, port: host.port), self), SentinelQuestion(sentinels)))
        }
        for (link, _) in asked where done != nil { link.start(loop, after: nil) }
    }

    /// Ends the search.
    func end(_ loop: Loop) {
        done = nil
        if let timer { loop.cancel(timer) }
        timer = nil
        let links = asked.map(\.link)
        asked = []
        for link in links { link.end(loop) }
    }

    private func settle(_ link: Link, _ answer: Result<Endpoint, WireError>, _ loop: Loop) {
        guard let place = asked.firstIndex(where: { $0.link === link }) else { return }
        asked.remove(at: place)
        link.end(loop)
        vote.add(answer)
        if let decision = vote.decision(avoiding: failed) { return finish(decision, loop) }
        guard vote.hasAnswer, timer == nil else { return }
        timer = loop.schedule(at: .now + grace) { [weak self] loop in
            guard let self else { return }
            timer = nil
            finish(vote.outcome(avoiding: failed), loop)
        }
    }

    private func finish(_ result: Result<Endpoint, WireError>, _ loop: Loop) {
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
        guard let endpoint = try asked[place].question.answered(reply) else { return }
        settle(link, .success(endpoint), loop)
    }

    func failed(_ failure: WireError, _ link: Link, _ loop: Loop) {
        settle(link, .failure(failure), loop)
    }
}
