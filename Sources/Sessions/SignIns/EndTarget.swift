package import Basics

/// The sign-ins that an end is about.
package enum EndTarget: Sendable, Equatable {
    /// The sign-ins with one provider session, whenever they were; `subject` has to be their user if it is given.
    ///
    /// Sign-ins of the subject whose provider session has no known name are ended as well, if their user authenticated
    /// at `at` or before; if that is now, as for a user.
    case providerSession(issuer: String, sessionID: String, subject: String?, at: Timestamp, isNow: Bool = false)
    /// All sign-ins of a user who authenticated at `until` or before.
    ///
    /// If `until` is now, those that are stored end whatever time they name: another process, whose clock is ahead, may
    /// have stored them.
    case user(issuer: String, subject: String, until: Timestamp, isNow: Bool = false)
    /// All sign-ins of all users who authenticated at `until` or before; of now, as for one user.
    case everyone(until: Timestamp, isNow: Bool = false)

    /// Index keys that are treated alike: sign-ins under one of them, up to an instant.
    struct Group {
        /// The kind of name that the keys are made from.
        enum Kind { case user, session, all }

        /// The keys of the marks.
        let marks: [[UInt8]]
        /// The keys of the index.
        let names: [[UInt8]]
        let until: Timestamp
        let kind: Kind
        /// True if sign-ins that are stored end whatever time they name.
        let isNow: Bool

        init(
            _ names: [[UInt8]], until: Timestamp, _ kind: Kind, marks: [[UInt8]]? = nil, isNow: Bool = false
        ) {
            self.marks = marks ?? names
            self.names = names
            self.until = until
            self.kind = kind
            self.isNow = isNow
        }

        func covers(_ part: SignInList.Part) -> Bool {
            let isNamed =
                switch kind {
                case .user: names.contains(part.names.user)
                case .session: names.contains(part.names.session)
                case .all: true
                }
            // rule: an end is of the sign-ins under its keys
            guard isNamed else { return false }
            // rule: a sign-in after the end lives on | true
            return isNow || part.authenticated <= until
        }
    }

    func groups(_ keys: IndexKeys) -> [Group] {
        switch self {
        case .user(let issuer, let subject, let until, let isNow):
            return [Group(keys.user(issuer: issuer, subject: subject), until: until, .user, isNow: isNow)]
        case .everyone(let until, let isNow):
            return [Group(keys.shares(), until: until, .all, marks: keys.everyone(), isNow: isNow)]
        case .providerSession(let issuer, let sessionID, let subject, let at, let isNow):
            // A provider session that has ended never lives again, so its end is not a question of time.
            let always = Timestamp(milliseconds: .max)
            let names = keys.session(issuer: issuer, sessionID: sessionID)
            guard let subject else { return [Group(names, until: always, .session)] }
            // rule: the mark of a provider session is of its own user | names
            let marks = keys.owned(issuer: issuer, sessionID: sessionID, subject: subject)
            let named = Group(names, until: always, .session, marks: marks)
            return [named, Group(keys.unnamed(issuer: issuer, subject: subject), until: at, .session, isNow: isNow)]
        }
    }

    /// True unless the target names another user than that of the part.
    func allows(_ part: SignInList.Part, _ keys: IndexKeys) -> Bool {
        guard case .providerSession(let issuer, _, let subject?, _, _) = self else { return true }
        // rule: the end of a provider session is of its own user | true
        return keys.user(issuer: issuer, subject: subject).contains(part.names.user)
    }
}
