import Basics
import JSON
import Logs
import OpenIDConnect
import Sessions
import StorageKit

/// Reads the claims of users at their providers.
final class UserClaims: Sendable {
    private let environment: Environment
    private let records: SessionRecords
    private let renewal: TokenRenewal

    init(_ records: SessionRecords, _ renewal: TokenRenewal) {
        environment = records.environment
        self.records = records
        self.renewal = renewal
    }

    /// Reads the claims of the user from the provider and keeps them; calls for the same instance share one read.
    ///
    /// - Parameters:
    ///   - session: The session as it was opened.
    ///   - call: The request to the instance.
    ///   - isAsked: True if the browser asks for fresh claims; false if they are only missing, and the answer goes
    ///     without them when they do not come within seconds.
    /// - Throws: `.providerUnavailable`, `.providerRefused` only where the claims were asked for and none are kept.
    func read(_ session: OpenedSession, _ call: InstanceCall, isAsked: Bool) async throws(BFFError) {
        let flight = FlightKey(session: session.key, field: call.userField, isForced: isAsked)
        let limit = call.context.deadline - environment.settings.reserve / 2
        let patience = isAsked ? limit : min(limit, .now + environment.settings.claimsPatience)
        _ = try await environment.work.claims.share(flight, until: patience) { [self] in
            try await readAlone(session, call, isAsked: isAsked)
            return true
        }
    }

    private func readAlone(
        _ opened: OpenedSession, _ call: InstanceCall, isAsked: Bool
    ) async throws(BFFError) {
        var session = opened
        for attempt in 0...1 {
            guard let tokens = session.tokens(call.tokenField), let record = session.user(call.userField)
            else { throw .signedOut }
            let claims: JSONObject
            do {
                claims = try await call.client.tokens.userinfo(tokens, deadline: call.deadline())
            } catch .invalidGrant where attempt == 0 {
                // The provider no longer knows the access token: a renewal shows whether there is another one.
                try await renewal.renew(session, record, call, seen: session.snapshot[call.tokenField]?.revision)
                session = try await records.reopen(session)
                continue
            } catch {
                return try await goWithout(error, session, record: record, for: call, isAsked: isAsked)
            }
            return try await keep(claims, of: tokens, session, for: call)
        }
    }

    private func keep(
        _ claims: JSONObject, of tokens: TokenSet, _ session: OpenedSession, for call: InstanceCall
    ) async throws(BFFError) {
        let (tokenField, field) = (call.tokenField, call.userField)
        let facts = session.record(call.sessionField).map(call.client.flows.sessionFacts)
        try await records.edit(session) { fresh, edit throws(EditError) in
            // Tokens that were renewed meanwhile are fine; tokens of another user are not.
            guard var record = fresh.user(field), let current = fresh.tokens(tokenField),
                current.isSameUser(as: tokens)
            else { return }
            record.show(UserFacts(current, claims: claims, session: facts), by: self.environment.renderer)
            record.hasClaims = true
            record.claimsFrom = nil
            try edit.put(field, record.encoded)
        }
    }

    /// Goes on without new claims: claims that were kept stay, and missing ones are not asked for again at once.
    private func goWithout(
        _ failure: TokenError, _ session: OpenedSession, record: UserRecord, for call: InstanceCall, isAsked: Bool
    ) async throws(BFFError) {
        let field = call.userField
        environment.logRefusal(failure, "The provider refused the claims of a user", call)
        if !record.hasClaims {
            let from = environment.now() + environment.settings.claimsPause
            try? await records.edit(session) { fresh, edit throws(EditError) in
                guard var record = fresh.user(field), !record.hasClaims else { return }
                record.claimsFrom = from
                try edit.put(field, record.encoded)
            }
        }
        guard isAsked else { return }
        if case .unavailable = failure, record.hasClaims { return }
        if failure == .invalidGrant || failure == .sessionEnded { return }
        throw BFFError(failure)
    }
}
