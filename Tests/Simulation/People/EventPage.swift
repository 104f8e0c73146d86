import BFF
import Basics
import HTTPCore
import Sessions
import StorageKit

/// A page of a browser that has a stream of events open, connects again when it ends, and now and then comes with a cookie
/// that was replaced.
///
/// Sendable invariant: one thread, as of `World`.
final class EventPage: @unchecked Sendable {
    private static let most = 40

    private let browser: Browser
    private let without: Set<String>
    private var numbers: SeededNumbers
    private var opened = 0
    /// The id of the last event that it got.
    private var lastID: String?
    /// True once the users of the browser have done all that they do.
    var isAlone = false

    init(_ browser: Browser, without: Set<String>) {
        self.browser = browser
        self.without = without
        numbers = SeededNumbers(browser.world.seed &+ UInt64(browser.number), "events of a page")
    }

    private var world: World { browser.world }
    private var mix: Mix { browser.mix }
    private var model: BrowserModel { browser.model }

    func run() async {
        while opened < Self.most, !isAlone, !world.isEnding {
            await world.pass(numbers.span(upTo: .seconds(numbers.happens(0.6) ? 3 : 40)))
            let old = numbers.happens(0.15)
            guard !isAlone, !world.isEnding, let cookie = cookie(isOld: old) else { continue }
            opened += 1
            guard !without.contains("stream#\(browser.number * 100 + opened)") else { continue }
            await open(cookie)
        }
    }

    /// The cookie that it comes with: the newest one of the jar that has signed in, or any that was given.
    private func cookie(isOld: Bool) -> GivenCookie? {
        if isOld { return browser.given.isEmpty ? nil : numbers.pick(browser.given) }
        return browser.given.last { browser.jar.contains($0.value) && !$0.name.hasSuffix("-start") }
    }

    // MARK: Streams

    private func open(_ cookie: GivenCookie) async {
        let machines = browser.cluster.answering
        guard !machines.isEmpty else { return }
        let machine = numbers.pick(machines)
        guard let events = machine.backend?.events else { return }
        let id = "b\(browser.number)-e\(opened)"
        let began = world.now
        let isStart = cookie.name.hasSuffix("-start")
        let context = CallContext(
            cookie: isStart ? nil : cookie.value, startCookie: isStart ? cookie.value : nil,
            deadline: .now + .seconds(30), requestID: id, began: .now)
        let isReplaced = browser.given.contains { later in
            later.tag == cookie.tag && later.at > cookie.at && (later.seen ?? began) < began
        }
        if isReplaced { world.record.count(.check, "a stream that an old cookie asks for") }
        do throws(BFFError) {
            switch try await events.open(context, lastEventID: lastID) {
            case .nothing:
                note(id, machine, "nothing")
                lastID = nil
            case .ended(let end):
                note(id, machine, "ends at once: \(end)")
                judgeEnd(end, cookie, id)
                if let told = end.eventID { lastID = told }
            case .stream(let stream):
                note(id, machine, "stream")
                if isReplaced { world.fail(.oldCookie, "\(id) opens a stream with a cookie that was replaced") }
                await follow(stream, machine, cookie, id)
            }
        } catch {
            note(id, machine, "\(error)".prefix { $0 != "(" }.description)
            if error == .signedOut { judgeSignedOut(cookie, id) }
        }
    }

    private func note(_ id: String, _ machine: Machine, _ what: String) {
        world.note("b\(browser.number) \(id) events at m\(machine.number): \(what)")
        let kind = what.split { ":(".contains($0) }.first.map(String.init) ?? what
        world.record.count(.answer, "events: \(kind)")
        world.record.mark("\(id) events \(what)", world.now)
    }

    /// Follows a stream until it ends, its machine goes away, or the page is closed.
    private func follow(_ stream: EventStream, _ machine: Machine, _ cookie: GivenCookie, _ id: String) async {
        let since = world.now
        let life = numbers.span(upTo: .seconds(numbers.happens(0.3) ? 20 : 500))
        let watched = Watched(cookie)
        let over = Once<Bool>()
        let task = Task.detached { [self] in
            do {
                try await stream.run { [self] events, last in received(events, last, watched, machine, id) }
            } catch {
                world.note("b\(browser.number) \(id) events: \(error)")
            }
            over.set(true)
        }
        while over.value == nil {
            await world.pass(.milliseconds(700))
            guard over.value == nil else { break }
            judgeKept(machine, cookie, since: since, id)
            guard machine.isCrashed || isAlone || world.isEnding || world.now - since > life else { continue }
            task.cancel()
            _ = await over.get()
            watched.isClosed = true
        }
        if watched.end == nil, !watched.isClosed, !machine.isCrashed, !world.isEnding {
            world.fail(.falseEvent, "\(id) ends without a word")
        }
    }

    /// What a stream has told.
    private final class Watched: @unchecked Sendable {
        let cookie: GivenCookie
        var end: StreamEnd?
        /// The page was closed.
        var isClosed = false

        init(_ cookie: GivenCookie) { self.cookie = cookie }
    }

    private func received(
        _ events: [SessionEvent], _ last: String?, _ watched: Watched, _ machine: Machine, _ id: String
    ) {
        // What a machine says that has crashed comes nowhere.
        guard !machine.isCrashed else { return }
        for event in events {
            if watched.end != nil { world.fail(.falseEvent, "\(id) goes on after its end") }
            if event != .beat {
                world.note("b\(browser.number) \(id) event \(event)")
                world.record.mark("\(id) event \(event)", world.now)
            }
            count(event)
            judge(event, watched.cookie, id)
            if case .end(let end) = event { watched.end = end }
        }
        if let last { lastID = last }
    }

    private func count(_ event: SessionEvent) {
        let text = "\(event)".prefix { $0 != "(" }
        if case .end(let end) = event {
            return world.record.count(.answer, "event: end \("\(end)".prefix { $0 != "(" })")
        }
        world.record.count(.answer, "event: \(text)")
    }

    // MARK: Rules

    private func judge(_ event: SessionEvent, _ cookie: GivenCookie, _ id: String) {
        switch event {
        case .state(let state):
            let told = Set(state.instances.map { Instance($0.client, $0.account) })
            judge(model.instances, cookie, id) { told.contains($0) }
        case .signedIn(let name), .steppedUp(let name), .refreshed(let name, _), .expiring(let name, _, _):
            judge([Instance(name.client, name.account)], cookie, id) { _ in true }
        case .signedOut(let name, _): judge([Instance(name.client, name.account)], cookie, id) { _ in false }
        case .end(let end): judgeEnd(end, cookie, id)
        case .beat: break
        }
    }

    /// Who is told to be signed in may be so, and who is told to be signed out as well.
    private func judge(_ instances: [Instance], _ cookie: GivenCookie, _ id: String, isIn: (Instance) -> Bool) {
        guard let known = settled(cookie) else { return }
        world.record.count(.check, "an event that the model judges")
        for instance in instances {
            let facts = known.facts(instance)
            if isIn(instance) {
                world.record.count(.check, "a sign-in that a stream tells of")
                guard facts == [.out] else { continue }
                world.fail(.falseEvent, "\(id) tells that \(instance) is signed in, and it is out")
            } else if !facts.contains(.out), !model.mayBeOver(instance, known), !mix.wider.changesClients {
                world.fail(.falseEvent, "\(id) tells that \(instance) is signed out, and it is \(facts)")
            }
        }
    }

    /// What the model knows of a session of which nothing was changed for a while; nil while it may be otherwise.
    private func settled(_ cookie: GivenCookie) -> SignIns? {
        let slow = mix.isQuick && mix.messageLost == 0 ? Duration.seconds(3) : .seconds(30)
        guard let known = model.sessions[cookie.tag], !known.isUnsure,
            !model.isChanging(cookie.tag, since: world.now - slow)
        else { return nil }
        return known
    }

    /// A session is not said to be over in which somebody is signed in.
    private func judgeEnd(_ end: StreamEnd, _ cookie: GivenCookie, _ id: String) {
        if case .signedOut = end { judgeSignedOut(cookie, id) }
    }

    private func judgeSignedOut(_ cookie: GivenCookie, _ id: String) {
        guard let known = settled(cookie), !mix.wider.changesClients, cookie.isSignedIn, !mix.keyChanges,
            browser.given.last(where: { $0.tag == cookie.tag })?.value == cookie.value,
            let instance = model.instances.first(where: {
                !known.facts($0).contains(.out) && !model.mayBeOver($0, known)
            })
        else { return }
        world.fail(.falseEvent, "\(id) is told that the session is over, and \(instance) is \(known.facts(instance))")
    }

    /// A stream ends with its session, and with its machine.
    private func judgeKept(_ machine: Machine, _ cookie: GivenCookie, since: Duration, _ id: String) {
        let journal = browser.cluster.journal
        if mix.isQuick, let stopped = machine.drainedAt, world.now - max(stopped, since) > .seconds(3) {
            world.fail(.drained, "\(id) has a stream of a machine that was told to stop")
        }
        guard let key = SessionCredential(cookieValue: cookie.value)?.sessionKey,
            let ended = journal.knownEnd(of: key)
        else { return }
        world.record.count(.check, "a stream whose session has ended")
        let isTold = mix.isQuick && mix.messageLost == 0 && !mix.wider.sharesFile
        let failed = journal.lastFailure(of: machine.number) ?? .zero
        guard world.now - max(ended, since, failed) > (isTold ? .seconds(5) : .seconds(60)) else { return }
        world.fail(.streamKept, "\(id) goes on \(world.now - ended) after the end of its session")
    }
}
