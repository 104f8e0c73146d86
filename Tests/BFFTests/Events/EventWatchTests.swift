import Basics
import Sessions
import Testing

@testable import BFF

@Suite("The watch of an event stream")
struct EventWatchTests {
    private static let now = Timestamp(seconds: 1_000_000)

    private static func signIn(
        _ client: String, at seconds: Int64 = 0, access: Int64? = 3600, idle: Int64 = 1800, absolute: Int64 = 28_800,
        limits: SessionView.Limits = .init(idle: .seconds(1800), absolute: .seconds(28_800))
    ) -> SessionView.SignIn {
        SessionView.SignIn(
            instance: InstanceName(client: client, account: ""), signedInAt: now + .seconds(seconds),
            accessEnd: access.map { now + .seconds($0) }, idleEnd: now + .seconds(idle),
            absoluteEnd: now + .seconds(absolute), limits: limits)
    }

    private static func view(_ signIns: SessionView.SignIn...) -> SessionView {
        SessionView(signIns: signIns, idleEnd: now + .seconds(1800), absoluteEnd: now + .seconds(28_800))
    }

    private static let standard = InstanceName(client: "standard", account: "")
    private static let other = InstanceName(client: "other", account: "")

    /// A change from one look to the next, and what a stream tells.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: SessionView
        let after: SessionView
        var at: Int64 = 1
        let events: [SessionEvent]
    }

    static let rows = [
        Row(
            testDescription: "nothing", before: view(signIn("standard")), after: view(signIn("standard")), events: []),
        Row(
            testDescription: "a sign-in", before: view(signIn("standard")),
            after: view(signIn("standard"), signIn("other")), events: [.signedIn(other)]),
        Row(
            testDescription: "a newer sign-in, which is no renewal besides", before: view(signIn("standard")),
            after: view(signIn("standard", at: 1, access: 3601)), events: [.steppedUp(standard)]),
        Row(
            testDescription: "a renewal", before: view(signIn("standard")),
            after: view(signIn("standard", access: 7200)), events: [.refreshed(standard, tokenExpiresIn: 7199)]),
        Row(
            testDescription: "a renewal without an end", before: view(signIn("standard")),
            after: view(signIn("standard", access: nil)), events: [.refreshed(standard, tokenExpiresIn: nil)]),
        Row(
            testDescription: "a logout", before: view(signIn("standard"), signIn("other")),
            after: view(signIn("other")), events: [.signedOut(standard, .ended)]),
        Row(
            testDescription: "an own absolute limit", before: view(signIn("standard", absolute: 60)), after: view(),
            at: 60, events: [.signedOut(standard, .absolute)]),
        Row(
            testDescription: "an own idle limit", before: view(signIn("standard", idle: 60)), after: view(), at: 60,
            events: [.signedOut(standard, .idle)]),
        Row(
            testDescription: "not yet a warning", before: view(signIn("standard")), after: view(signIn("standard")),
            at: 1679, events: []),
        Row(
            testDescription: "a warning", before: view(signIn("standard")), after: view(signIn("standard")), at: 1680,
            events: [.expiring(standard, .idle, seconds: 120)]),
        Row(
            testDescription: "no warning of a short limit before its half",
            before: view(signIn("standard", idle: 60, limits: .init(idle: .seconds(60), absolute: .seconds(28_800)))),
            after: view(signIn("standard", idle: 60, limits: .init(idle: .seconds(60), absolute: .seconds(28_800)))),
            at: 29, events: []),
        Row(
            testDescription: "a warning at half of a short limit",
            before: view(signIn("standard", idle: 60, limits: .init(idle: .seconds(60), absolute: .seconds(28_800)))),
            after: view(signIn("standard", idle: 60, limits: .init(idle: .seconds(60), absolute: .seconds(28_800)))),
            at: 30, events: [.expiring(standard, .idle, seconds: 30)]),
        Row(
            testDescription: "no warning of an idle timeout that the absolute end comes before",
            before: view(signIn("standard", idle: 100, absolute: 100)),
            after: view(signIn("standard", idle: 100, absolute: 100)), at: 10,
            events: []),
    ]

    @Test("tells what changed, and nothing else", arguments: rows)
    func changes(_ row: Row) {
        var first: [SessionEvent] = []
        var watch = EventWatch(row.before, since: nil, candidates: [], at: Self.now, &first)
        let state = EventState(
            instances: row.before.signIns.map(\.instance), idle: 1800, absolute: 28_800, isUnchanged: false)
        #expect(first.first == .state(state))
        #expect(watch.follow(row.after, at: Self.now + .seconds(row.at)) == row.events)
        #expect(watch.follow(row.after, at: Self.now + .seconds(row.at)) == [], "each is told once")
        // A client that was away is told the same of the sign-ins, but for reasons.
        let mark = EventMark(row.before)
        let missed = mark.changes(
            to: row.after, candidates: [Self.standard, Self.other], at: Self.now + .seconds(row.at))
        let expected = row.events.compactMap { event -> SessionEvent? in
            switch event {
            case .expiring: nil
            case .signedOut(let instance, _): .signedOut(instance, nil)
            default: event
            }
        }
        #expect(missed == expected)
        #expect(EventMark(mark.text) == mark)
    }

    @Test("warns again of an end that moved")
    func movedEnd() {
        var first: [SessionEvent] = []
        var watch = EventWatch(Self.view(Self.signIn("standard")), since: nil, candidates: [], at: Self.now, &first)
        let at = Self.now + .seconds(1700)
        #expect(watch.follow(Self.view(Self.signIn("standard")), at: at).count == 1)
        let used = Self.view(Self.signIn("standard", idle: 3500))
        #expect(watch.follow(used, at: at) == [])
        #expect(watch.nextDue(after: at) == Self.now + .seconds(1800), "the session's own end is looked at")
        #expect(
            watch.follow(used, at: Self.now + .seconds(3400))
                == [.expiring(Self.standard, .idle, seconds: 100)])
    }

    @Test("tells how a session that is gone ended")
    func over() {
        for (at, reason) in [(10, .ended), (1800, .idle), (28_800, .absolute)] as [(Int64, EndReason)] {
            var first: [SessionEvent] = []
            let watch = EventWatch(
                Self.view(Self.signIn("standard")), since: nil, candidates: [], at: Self.now, &first)
            #expect(
                watch.over(at: Self.now + .seconds(at))
                    == [.signedOut(Self.standard, reason), .end(.signedOut(reason))])
        }
    }

    @Test(
        "takes no other text for a mark",
        arguments: [
            "", "1", "1.AAA", "2.AAAAAAAAAAAAAA", "over", "1.AAAAAAAAAAAA*A", .init(repeating: "1", count: 600),
        ]
    )
    func badMarks(_ text: String) {
        #expect(EventMark(text) == nil)
    }

    @Test("keeps marks short, however many sign-ins there are")
    func manySignIns() {
        let many = (0..<100).map { Self.signIn("c\($0)") }
        let view = SessionView(signIns: many, idleEnd: Self.now + .seconds(9), absoluteEnd: Self.now + .seconds(9))
        #expect(EventMark(view).text.utf8.count < 512)
        #expect(EventMark(EventMark(view).text)?.changes(to: view, candidates: [], at: Self.now) == [])
    }
}
