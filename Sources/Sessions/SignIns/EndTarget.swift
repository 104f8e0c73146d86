package import Basics

/// The sign-ins that an end is about.
package enum EndTarget: Sendable, Equatable {
    /// The sign-ins with one provider session, whenever they were; `subject` has to be their user if it is given.
    ///
    /// Sign-ins of the subject whose provider session has no known name are ended as well, if their user authenticated
    /// at `at` or before.
    case providerSession(issuer: String, sessionID: String, subject: String?, at: Timestamp)
    /// All sign-ins of a user who authenticated at `until` or before.
    case user(issuer: String, subject: String, until: Timestamp)

    /// Index keys that are treated alike: sign-ins under one of them, up to an instant.
    struct Group {
        let names: [[UInt8]]
        let until: Timestamp
        let isUser: Bool

        func covers(_ part: SignInList.Part) -> Bool {
            // rule: an end is of the sign-ins under its keys
            guard names.contains(isUser ? part.names.user : part.names.session) else { return false }
            // rule: a sign-in after the end lives on | true
            return part.authenticated <= until
        }
    }

    func groups(_ keys: IndexKeys) -> [Group] {
        switch self {
        case .user(let issuer, let subject, let until):
            return [Group(names: keys.user(issuer: issuer, subject: subject), until: until, isUser: true)]
        case .providerSession(let issuer, let sessionID, let subject, let at):
            // A provider session that has ended never lives again, so its end is not a question of time.
            let always = Timestamp(milliseconds: .max)
            let named = Group(
                names: keys.session(issuer: issuer, sessionID: sessionID), until: always, isUser: false)
            guard let subject else { return [named] }
            return [named, Group(names: keys.unnamed(issuer: issuer, subject: subject), until: at, isUser: false)]
        }
    }

    /// True unless the target names another user than that of the part.
    func allows(_ part: SignInList.Part, _ keys: IndexKeys) -> Bool {
        guard case .providerSession(let issuer, _, let subject?, _) = self else { return true }
        // rule: the end of a provider session is of its own user | true
        return keys.user(issuer: issuer, subject: subject).contains(part.names.user)
    }
}
