import Basics
import JSON

/// What the ID token of a grant says: whose it is, of which session of the provider, and when the user authenticated.
struct Statement: Equatable {
    let issuer: String
    let subject: String
    /// `sid`.
    let session: String
    /// `auth_time`, since the world began: a whole second.
    let authenticated: Duration

    init?(_ token: String) {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONValue(parsing: $0) }),
            let issuer = claims["iss"]?.string, let subject = claims["sub"]?.string,
            let session = claims["sid"]?.string, let at = claims["auth_time"]?.int
        else { return nil }
        (self.issuer, self.subject, self.session) = (issuer, subject, session)
        authenticated = Timestamp(seconds: at) - MachineTime.beginning
    }
}

/// An end of sign-ins without their cookies: by an operator, or by a logout token of the provider.
struct RemoteEnd: Sendable {
    /// The users whose sign-ins it ends.
    let users: Set<String>
    /// The session of the provider whose sign-ins it ends, and no others; nil for all.
    var session: String?
    /// It ends every sign-in whose user authenticated by then, as the provider says; nil where nobody can tell which.
    var until: Duration?

    /// Whether it ends a sign-in for certain.
    func covers(_ gift: Ledger.Gift) -> Bool {
        guard users.contains(gift.user), let statement = gift.statement, let until else { return false }
        if let session { return statement.session == session }
        return statement.authenticated <= until
    }
}

/// The ends without cookies, and the rule that nothing of what they have ended is told or used.
///
/// Sendable invariant: one thread, as of `World`.
final class RemoteEndWatch: @unchecked Sendable {
    private let world: World
    private let mix: Mix
    /// Those that were answered with success, and when.
    private var done: [(end: RemoteEnd, answered: Duration)] = []
    /// When one of a user was under way last.
    private var attempts: [String: Duration] = [:]
    /// The users of whom one was begun that may be done in part.
    private var unfinished: Set<String> = []
    /// When each request was sent.
    private var began: [String: Duration] = [:]

    init(_ world: World, _ mix: Mix) {
        self.world = world
        self.mix = mix
    }

    func sent(_ id: String) { if mix.hasRemoteEnds { began[id] = world.now } }

    /// An end begins, or is repeated.
    func begins(_ end: RemoteEnd) {
        for user in end.users { attempts[user] = .seconds(1_000_000) }
    }

    /// It was answered, or was not.
    func ended(_ end: RemoteEnd, isDone: Bool, isOpen: Bool) {
        for user in end.users { attempts[user] = world.now + (isOpen ? .seconds(75) : .zero) }
        guard isDone else {
            unfinished.formUnion(end.users)
            return
        }
        if end.until == nil || end.session != nil { unfinished.formUnion(end.users) }
        done.append((end, world.now))
    }

    /// The store has forgotten what was written since an instant: an end that was answered since may be forgotten too.
    func forget(since instant: Duration) {
        for (end, answered) in done where answered > instant { unfinished.formUnion(end.users) }
        done.removeAll { $0.answered > instant }
    }

    /// Whether a mark may keep the provider's session from bringing tokens of a user, who is signed in all the same.
    func mayRefuse(_ user: String) -> Bool { unfinished.contains(user) }

    /// Whether something that was given out may have been ended here, where nothing is told to the provider.
    func mayHaveEnded(_ gift: Ledger.Gift) -> Bool { attempts[gift.user].map { gift.at <= $0 + mix.skew } ?? false }

    /// Whether an end without a cookie was asked for one of these users.
    func hasTouched(_ users: [String]) -> Bool { users.contains { attempts[$0] != nil } }

    /// Grants of which one is used for a request, or told of, are not all ended by the time that it was sent.
    func judge(_ gifts: [Ledger.Gift], _ id: String, _ what: String) {
        guard let sent = began[id], !gifts.isEmpty, !done.isEmpty else { return }
        world.record.count(.check, "facts after an end without a cookie")
        let ends = gifts.map { gift in done.first { $0.answered < sent && $0.end.covers(gift) } }
        guard let end = ends.compactMap(\.self).first, ends.allSatisfy({ $0 != nil }) else { return }
        world.fail(.afterEnd, "\(id): \(what), ended \(sent - end.answered) before")
    }
}
