import Basics
import ResourceServer
package import Sessions
import StorageKit

/// The sessions of the user of an instance, for that user: lists them, and ends others than the own one.
package final class OwnSessions: Sendable {
    private let environment: Environment
    private let sessions: BrowserSessions
    private let ends: RemoteEnds
    private let tokens: RouteTokens

    init(_ sessions: BrowserSessions, _ tokens: RouteTokens) {
        environment = sessions.environment
        self.sessions = sessions
        self.tokens = tokens
        ends = RemoteEnds(environment)
    }

    /// Lists the sessions in which the user of an instance is signed in, oldest first; it does not extend the own one.
    ///
    /// - Returns: The sessions; `isOwn` says which one made the request.
    /// - Throws: `.unknownInstance`, `.signedOut`, `.sessionChanged`, `.storeUnavailable`.
    package func list(
        _ name: String, _ context: CallContext
    ) async throws(BFFError) -> [ListedSession] {
        let (session, user) = try await user(try environment.call(name, context))
        return try await ends.sessions(of: user, own: session.key).map { listed in
            var listed = listed
            listed.isOwn = listed.key == session.key
            return listed
        }
    }

    /// Ends the user's sign-ins in another session.
    ///
    /// - Throws: Like `list(_:_:)`; `.unknownSession`, also for the own session; with a requirement that the user has to
    ///   meet, the errors of a route with it, such as `.stepUpRequired`.
    package func end(_ name: String, id: String, _ context: CallContext) async throws(BFFError) {
        let (session, user) = try await proven(name, context)
        try await ends.end(id: id, of: user, except: session.key, by: .user, context)
    }

    /// Ends the user's sign-ins in all other sessions.
    ///
    /// - Returns: The number of sessions in which a sign-in was ended.
    /// - Throws: Like `end(_:id:_:)`, without `.unknownSession`.
    package func endOthers(_ name: String, _ context: CallContext) async throws(BFFError) -> Int {
        let (session, user) = try await proven(name, context)
        return try await ends.endOthers(of: user, except: session.key, context)
    }

    /// The session and its user, who has met the requirement for ending sessions if there is one.
    private func proven(
        _ name: String, _ context: CallContext
    ) async throws(BFFError) -> (OpenedSession, RemoteEnds.User) {
        let call = try environment.call(name, context)
        let (session, user) = try await user(call)
        guard let requirement = environment.settings.endingRequirement else { return (session, user) }
        // A token of another client may meet it, but only one of the same provider session is of the same user.
        let account = call.instance.account
        let others = environment.clientsInOrder.filter {
            $0.name != call.client.name && $0.sessionField(account) == call.sessionField
        }
        let route = RouteDefinition(
            id: "sessions", clients: [call.client.name] + others.map(\.name), demand: .requirement(requirement))
        let token = try await tokens.token(for: route, account: account, context)
        // The sessions that end are those of the user whose token meets the requirement.
        guard let facts = token?.facts.first, let subject = facts.subject else { throw .signedOut }
        return (session, RemoteEnds.User(issuer: facts.issuer, subject: subject))
    }

    private func user(_ call: InstanceCall) async throws(BFFError) -> (OpenedSession, RemoteEnds.User) {
        guard let session = try await sessions.open(call.context, [MetaRecord.field, call.userField]) else {
            throw .signedOut
        }
        let now = environment.now()
        // rule: a cookie that was replaced lists and ends no sessions
        guard session.claims.status(at: now) == .current else {
            throw session.isOvertaken(at: now) ? .sessionChanged : .signedOut
        }
        let record = try session.user(call.userField, at: now)
        // rule: who is signed out lists no sessions
        guard !record.isOver(at: now), let entry = session.meta?.tokens.first(where: { $0.field == call.tokenField })
        else { throw .signedOut }
        return (session, RemoteEnds.User(issuer: entry.issuer, subject: entry.subject))
    }
}
