import Basics
import JSON
import OpenIDConnect
import StorageKit

/// A completed sign-in on its way into the store: where it goes and what it displaces.
struct SignInPlan: Sendable {
    let signIn: SignIn
    var claims: JSONObject?
    let instance: InstanceName
    let definition: ClientDefinition
    let replace: Bool
    /// What the flow was started for, when it was a step-up.
    let goal: StepUpGoal?
    /// When the flow began.
    let begun: Timestamp
    let answered: AnsweredStep?

    var sessionField: String { definition.sessionField(instance.account) }
    var tokenField: String { definition.tokenField(instance.account) }
    var userField: String { definition.userField(instance.account) }

    var sessionEntry: MetaRecord.SessionEntry {
        MetaRecord.SessionEntry(field: sessionField, client: definition.name, account: instance.account)
    }

    func tokenEntry(signedInAt: Timestamp, limitEnd: Timestamp?) -> MetaRecord.TokenEntry {
        MetaRecord.TokenEntry(
            field: tokenField, client: definition.name, account: instance.account, sessionField: sessionField,
            issuer: signIn.tokens.issuer, subject: signIn.tokens.subject, signedInAt: signedInAt, limitEnd: limitEnd,
            accessEnd: signIn.tokens.expiresAt)
    }

    /// Tokens of another user in the same session storage or in the instance's own token storage.
    func conflicts(in meta: MetaRecord) -> [MetaRecord.TokenEntry] {
        meta.tokens.filter { entry in
            (entry.sessionField == sessionField || entry.field == tokenField)
                && (entry.issuer != signIn.tokens.issuer || entry.subject != signIn.tokens.subject)
        }
    }

    /// What the sign-in makes useless at the provider.
    ///
    /// - Throws: `.subjectChanged` when it is of another user and `replace` was not said (design/sessions.md 4).
    func obsolete(in session: OpenedSession, _ meta: MetaRecord) throws(EditError) -> [Obsolete] {
        let conflicts = conflicts(in: meta)
        if !conflicts.isEmpty, !replace { throw .refused(.subjectChanged) }
        var obsolete: [Obsolete] = []
        for entry in meta.tokens where entry.field == tokenField || conflicts.contains(entry) {
            if let tokens = session.record(entry.field) { obsolete.append(.tokens(tokens, entry.client)) }
        }
        if !conflicts.isEmpty, signIn.sessionIsNew, let old = session.record(sessionField) {
            obsolete.append(.session(old, definition.name))
        }
        return obsolete
    }

    /// What has to be ended at the provider when the sign-in is not stored.
    var undoing: [Obsolete] {
        let tokens = Obsolete.tokens(signIn.tokens.encode(), definition.name)
        return signIn.sessionIsNew ? [tokens, .session(signIn.session, definition.name)] : [tokens]
    }
}

extension MetaRecord.TokenEntry {
    /// The user record beside the tokens.
    var userField: String { "user" + field.dropFirst("token".count) }
}
