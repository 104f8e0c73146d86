import Basics
import Sessions

/// Decides which events follow from what the looks at a session find; no I/O.
struct EventWatch {
    /// The warnings that were given for a sign-in, by the ends that they were about.
    private struct Warned: Equatable {
        var idle: Timestamp?
        var absolute: Timestamp?
    }

    /// A warning comes this long before an end, or at half of a shorter limit.
    static let longestWarning = Duration.seconds(120)

    private var view: SessionView
    private var warned: [InstanceName: Warned] = [:]

    /// Begins with the first look.
    ///
    /// - Parameters:
    ///   - view: The look.
    ///   - mark: The sign-ins that the client has seen; nil for a client that has seen none.
    ///   - candidates: The instances that the mark may be about.
    ///   - now: The time of the look.
    ///   - events: The state, the changes since the mark, and warnings.
    init(
        _ view: SessionView, since mark: EventMark?, candidates: [InstanceName], at now: Timestamp,
        _ events: inout [SessionEvent]
    ) {
        self.view = view
        events.append(
            .state(
                EventState(
                    instances: view.signIns.map(\.instance), idle: view.idleEnd.secondsLeft(at: now),
                    absolute: view.absoluteEnd.secondsLeft(at: now), isUnchanged: mark == EventMark(view))))
        if let mark { events += mark.changes(to: view, candidates: candidates, at: now) }
        events += warnings(at: now)
    }

    /// The id of the events so far.
    var mark: EventMark { EventMark(view) }

    /// Takes a further look.
    ///
    /// - Returns: The changes since the look before, and warnings.
    mutating func follow(_ fresh: SessionView, at now: Timestamp) -> [SessionEvent] {
        var events: [SessionEvent] = []
        for signIn in fresh.signIns {
            guard let former = view.signIn(signIn.instance) else {
                events.append(.signedIn(signIn.instance))
                continue
            }
            if former.signedInAt != signIn.signedInAt {
                events.append(.steppedUp(signIn.instance))
            } else if former.accessEnd != signIn.accessEnd {
                events.append(.refreshed(signIn.instance, tokenExpiresIn: signIn.accessEnd?.secondsLeft(at: now)))
            }
        }
        for former in view.signIns where fresh.signIn(former.instance) == nil {
            events.append(.signedOut(former.instance, former.endReason(at: now)))
            warned[former.instance] = nil
        }
        view = fresh
        return events + warnings(at: now)
    }

    /// The last events of a session that does not exist any more.
    func over(at now: Timestamp) -> [SessionEvent] {
        let reason = view.endReason(at: now)
        let signedOut = view.signIns.map { signIn -> SessionEvent in
            // An instance whose own limit came first ended by that.
            .signedOut(signIn.instance, reason == .ended ? signIn.endReason(at: now) : reason)
        }
        return signedOut + [.end(.signedOut(reason))]
    }

    /// The next time at which an event may be due without any change of the session; nil without a sign-in.
    func nextDue(after now: Timestamp) -> Timestamp? {
        var times = [view.idleEnd, view.absoluteEnd]
        for signIn in view.signIns {
            times += [signIn.idleEnd, signIn.absoluteEnd, signIn.idleWarning, signIn.absoluteWarning]
        }
        return times.filter { $0 > now }.min()
    }

    /// Warns once of each end; an end that moved is warned of again.
    private mutating func warnings(at now: Timestamp) -> [SessionEvent] {
        var events: [SessionEvent] = []
        for signIn in view.signIns {
            var given = warned[signIn.instance] ?? Warned()
            // An idle timeout after the end of the sign-in is no news.
            if signIn.idleEnd < signIn.absoluteEnd, now >= signIn.idleWarning, given.idle != signIn.idleEnd {
                given.idle = signIn.idleEnd
                events.append(.expiring(signIn.instance, .idle, seconds: signIn.idleEnd.secondsLeft(at: now)))
            }
            if now >= signIn.absoluteWarning, given.absolute != signIn.absoluteEnd {
                given.absolute = signIn.absoluteEnd
                events.append(.expiring(signIn.instance, .absolute, seconds: signIn.absoluteEnd.secondsLeft(at: now)))
            }
            warned[signIn.instance] = given
        }
        return events
    }
}

extension SessionView.SignIn {
    fileprivate var idleWarning: Timestamp { idleEnd - min(EventWatch.longestWarning, limits.idle / 2) }
    fileprivate var absoluteWarning: Timestamp { absoluteEnd - min(EventWatch.longestWarning, limits.absolute / 2) }
}
