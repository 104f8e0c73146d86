import Basics
import JSON
import Logs
import OpenIDConnect
import StorageKit

extension Backend {
    /// Reads the claims of the user from the provider and keeps them; callers of the same instance share it.
    ///
    /// - Parameters:
    ///   - session: The session as it was opened.
    ///   - instance: Whose claims.
    ///   - definition: Its client.
    ///   - isAsked: The browser wants them anew; else they are only missing, and the answer does without them when they
    ///     cannot be had within seconds.
    ///   - context: The request.
    /// - Throws: `.providerUnavailable`, `.providerRefused` only where they were asked for and none are kept.
    func readClaims(
        _ session: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, isAsked: Bool,
        _ context: CallContext
    ) async throws(BFFError) {
        let key = RenewalKey(
            session: session.key, field: definition.userField(instance.account), kind: isAsked ? .claimsAsked : .claims)
        let limit = context.deadline - settings.reserve / 2
        _ = try await wait(until: isAsked ? limit : min(limit, .now + settings.claimsPatience)) { [self] in
            try await renewals.run(key) { [self] in
                try await readClaimsAlone(session, instance, definition, isAsked: isAsked, context)
                return true
            }
        }
    }

    private func readClaimsAlone(
        _ opened: OpenedSession, _ instance: InstanceName, _ definition: ClientDefinition, isAsked: Bool,
        _ context: CallContext
    ) async throws(BFFError) {
        var session = opened
        for attempt in 0...1 {
            let field = definition.userField(instance.account)
            guard let tokens = session.tokens(definition.tokenField(instance.account)), let record = session.user(field)
            else { throw .signedOut }
            let claims: JSONObject
            do {
                claims = try await definition.client.userinfo(tokens, caller(definition, nil, context))
            } catch .invalidGrant where attempt == 0 {
                // The provider does not know the access token any more: a renewal says whether there is another one.
                let seen = session.snapshot[definition.tokenField(instance.account)]?.revision
                try await renew(session, record, instance, definition, context, seen: seen)
                session = try await reopen(session)
                continue
            } catch {
                return try await goWithout(error, session, record, definition, field, isAsked: isAsked, context)
            }
            return try await keep(claims, tokens, session, instance, definition)
        }
    }

    private func keep(
        _ claims: JSONObject, _ tokens: TokenSet, _ session: OpenedSession, _ instance: InstanceName,
        _ definition: ClientDefinition
    ) async throws(BFFError) {
        let tokenField = definition.tokenField(instance.account)
        let field = definition.userField(instance.account)
        let facts = session.record(definition.sessionField(instance.account)).map(definition.client.sessionFacts)
        try await edit(session) { fresh, edit throws(EditError) in
            // Renewed meanwhile is fine; of another user is not.
            guard var record = fresh.user(field), let current = fresh.tokens(tokenField),
                current.subject == tokens.subject, current.issuer == tokens.issuer
            else { return }
            record.head = UserDocument.head(current, claims: claims, session: facts)[...]
            record.hasClaims = true
            record.claimsFrom = nil
            try edit.put(field, record.encoded)
        }
    }

    /// An outage leaves the claims that were kept; ones that are missing are not asked for again at once.
    private func goWithout(
        _ fault: TokenFault, _ session: OpenedSession, _ record: UserRecord, _ definition: ClientDefinition,
        _ field: String, isAsked: Bool, _ context: CallContext
    ) async throws(BFFError) {
        if let check = fault.check {
            let metadata: Logger.Metadata = ["check": .string(check), "client": .string(definition.name)]
            log(context).error("The provider refused the claims of a user", metadata: metadata)
        }
        if !record.hasClaims {
            let from = time.now() + settings.claimsPause
            try? await edit(session) { fresh, edit throws(EditError) in
                guard var record = fresh.user(field), !record.hasClaims else { return }
                record.claimsFrom = from
                try edit.put(field, record.encoded)
            }
        }
        guard isAsked else { return }
        if case .unavailable = fault, record.hasClaims { return }
        if fault == .invalidGrant || fault == .sessionEnded { return }
        throw BFFError(fault)
    }
}
