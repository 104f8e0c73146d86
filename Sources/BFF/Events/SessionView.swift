import Basics
import Sessions
import StorageKit

/// The part of a browser session that its event stream tells about, as one look at the store found it.
struct SessionView: Sendable, Equatable {
    /// One instance that is signed in.
    struct SignIn: Sendable, Equatable {
        let instance: InstanceName
        let signedInAt: Timestamp
        /// The end of the access token; nil if the provider did not say.
        let accessEnd: Timestamp?
        /// The end by the idle timeout that comes first, of the session or of the client.
        let idleEnd: Timestamp
        /// The end regardless of use that comes first, of the session or of the client.
        let absoluteEnd: Timestamp
        /// The timeout and the lifetime that these ends come from.
        let limits: Limits
    }

    /// The time limits of a sign-in.
    struct Limits: Sendable, Equatable {
        let idle: Duration
        let absolute: Duration
    }

    /// The instances that are signed in, in the order of the configuration.
    let signIns: [SignIn]
    /// The session's own idle timeout.
    let idleEnd: Timestamp
    /// The session's own end regardless of use.
    let absoluteEnd: Timestamp

    /// The sign-in of an instance; nil if it is signed out.
    func signIn(_ instance: InstanceName) -> SignIn? { signIns.first { $0.instance == instance } }

    /// The reason that the session is over at an instant, if it was not used since this look.
    func endReason(at now: Timestamp) -> EndReason {
        Self.reason(idleEnd, absoluteEnd, now)
    }

    fileprivate static func reason(_ idleEnd: Timestamp, _ absoluteEnd: Timestamp, _ now: Timestamp) -> EndReason {
        if now >= absoluteEnd { return .absolute }
        return now >= idleEnd ? .idle : .ended
    }
}

extension SessionView.SignIn {
    /// The reason that the sign-in is over at an instant, if it was not used since the look that found it.
    func endReason(at now: Timestamp) -> EndReason { SessionView.reason(idleEnd, absoluteEnd, now) }
}

extension SessionView {
    /// The view of a session that was read with its table of contents, and with the user records of clients that have
    /// an idle timeout of their own.
    init(_ session: OpenedSession, users: OpenedSession?, _ environment: Environment, at now: Timestamp) {
        let meta = session.meta
        let (idleEnd, absoluteEnd) = (session.snapshot.expires ?? now, session.claims.absoluteEnd)
        var found: [SignIn] = []
        let accounts = (meta?.accounts(at: now) ?? []).sorted()
        for client in environment.clientsInOrder {
            for account in accounts {
                guard let entry = meta?.tokens.first(where: { $0.field == client.tokenField(account) }) else {
                    continue
                }
                let idleLimit = environment.clients[entry.client]?.limits.idle
                let user = idleLimit == nil ? nil : users?.user(entry.userField)
                // rule: a client's own limits end its sign-in in the stream as well
                guard !entry.isOver(at: now), idleLimit == nil || user?.isOver(at: now) == false else { continue }
                var (idle, absolute) = (idleEnd, absoluteEnd)
                var limits = (environment.settings.idle, environment.settings.absolute)
                if let limit = user?.idleLimit, let own = user?.lastUsed.adding(milliseconds: limit), own < idle {
                    idle = own
                    limits.0 = .milliseconds(limit)
                }
                if let own = entry.limitEnd, own < absolute {
                    absolute = own
                    limits.1 = environment.clients[entry.client]?.limits.absolute ?? limits.1
                }
                found.append(
                    SignIn(
                        instance: InstanceName(client: client.name, account: account), signedInAt: entry.signedInAt,
                        accessEnd: entry.accessEnd, idleEnd: idle, absoluteEnd: absolute,
                        limits: Limits(idle: limits.0, absolute: limits.1)))
            }
        }
        self.init(signIns: found, idleEnd: idleEnd, absoluteEnd: absoluteEnd)
    }
}
