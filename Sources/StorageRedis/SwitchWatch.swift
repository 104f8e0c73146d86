internal import EventLoop

/// Listens to one sentinel for the news that another server has become the primary; lives on the event thread.
///
/// A primary that was cut off or halted goes on as one for a while when it comes back, and takes writes that are lost. The
/// news ends connections to it before.
final class SwitchWatch: LinkUser {
    private static let channel = "+switch-master"
    private static let pingInterval = Duration.seconds(5)

    private let sentinels: RedisSettings.Sentinels
    private let make: (any LinkUser) -> Link
    private let timeout: Duration
    private let moved: (Endpoint, Loop) -> Void
    private var link: Link?
    private var output: [UInt8] = []
    private var timer: TimerID?
    private var backoff = Backoff()
    private var isAnswered = false
    private var isClosed = false

    /// Makes a watch.
    ///
    /// - Parameters:
    ///   - sentinels: The name of the primary, and the sign-in.
    ///   - settings: The time for connecting.
    ///   - make: Makes a link to the sentinel.
    ///   - moved: Takes the address of the new primary.
    init(
        _ sentinels: RedisSettings.Sentinels, _ settings: RedisSettings, make: @escaping (any LinkUser) -> Link,
        moved: @escaping (Endpoint, Loop) -> Void
    ) {
        self.sentinels = sentinels
        self.make = make
        self.moved = moved
        timeout = settings.connectTimeout
    }

    /// Begins to listen; a sentinel that cannot be reached is tried again, less and less often.
    func start(_ loop: Loop) {
        guard !isClosed else { return }
        let link = make(self)
        self.link = link
        output = SentinelQuestion.signIn(sentinels) + RedisCommand("SUBSCRIBE", Self.channel).encoded([:])
        isAnswered = false
        schedule(timeout, loop) { watch, loop in watch.checkLife(loop) }
        link.start(loop, after: nil)
    }

    /// Ends it for good.
    func close(_ loop: Loop) {
        isClosed = true
        if let timer { loop.cancel(timer) }
        timer = nil
        link?.end(loop)
        link = nil
    }

    private func schedule(_ wait: Duration, _ loop: Loop, _ body: @escaping (SwitchWatch, Loop) -> Void) {
        if let timer { loop.cancel(timer) }
        timer = loop.schedule(at: .now + wait) { [weak self] loop in
            guard let self else { return }
            timer = nil
            body(self, loop)
        }
    }

    private func checkLife(_ loop: Loop) {
        guard isAnswered else { return again(loop) }
        isAnswered = false
        output += RedisCommand("PING").encoded([:])
        link?.flush(loop)
        if link != nil { schedule(Self.pingInterval, loop) { watch, loop in watch.checkLife(loop) } }
    }

    /// Ends the connection; the next one is made after a pause.
    private func again(_ loop: Loop) {
        link?.end(loop)
        link = nil
        guard !isClosed else { return }
        schedule(backoff.next(), loop) { watch, loop in watch.start(loop) }
    }

    // MARK: The link

    func linked(_ link: Link, _ loop: Loop) {}

    func output(of link: Link, atLeast count: Int) -> [UInt8] {
        defer { output = [] }
        return output
    }

    func received(_ reply: RedisReply, _ link: Link, _ loop: Loop) throws(WireError) {
        if let kind = reply.errorKind { throw .refused(kind) }
        isAnswered = true
        guard case .array(let parts) = reply, let kind = parts.first?.bytes else { return }
        switch String(decoding: kind, as: UTF8.self) {
        case "subscribe":
            backoff.reset()
            schedule(Self.pingInterval, loop) { watch, loop in watch.checkLife(loop) }
        case "message":
            guard parts.count == 3, let text = parts[2].bytes else { throw .malformed }
            // The name of the primary, its old address, its new address.
            let words = text.split(separator: UInt8(ascii: " "))
            guard words.count == 5, words[0].elementsEqual(sentinels.master.utf8) else { return }
            guard let endpoint = SentinelQuestion.endpoint(words[3], words[4]) else { throw .malformed }
            moved(endpoint, loop)
        default: break
        }
    }

    func failed(_ failure: WireError, _ link: Link, _ loop: Loop) {
        again(loop)
    }
}
