public import Basics
internal import HTTPCore
internal import Logs
internal import OpenIDConnect
public import Orchestrate

extension FlowKey where Value == CookieJar {
    /// The cookies of the session, as the flow has them now.
    static var davinciSession: FlowKey { FlowKey("davinci.sessionCookies") }
}

extension FlowKey where Value == Bool {
    /// Whether the flow goes as that of somebody without a session.
    static var davinciIgnoresSession: FlowKey { FlowKey("davinci.ignoresSession") }
    /// Whether PingOne has made the cookies of the session new in this flow.
    static var davinciRenewed: FlowKey { FlowKey("davinci.renewed") }
}

extension FlowKey where Value == String {
    /// The id of the session that was kept when the flow began.
    static var davinciBefore: FlowKey { FlowKey("davinci.before") }
    /// What the session of a flow that has ended well is kept as.
    static var davinciKept: FlowKey { FlowKey("davinci.kept") }
}

/// There is no session at PingOne to sign off.
struct NoDaVinciSessionError: Error {}

/// Where the session of a flow is kept.
public struct DaVinciSessionConfig: Sendable {
    /// The store for callers who bring none; all such callers share it.
    ///
    /// Without one nothing is kept for them.
    public var storage: (any Storage<DaVinciSession>)?

    /// Makes a configuration by which each caller brings the store.
    public init() {}
}

extension DaVinciModules {
    /// Carries the cookies of the flow and of the session, keeps the session at the end and ends it at sign-off.
    ///
    /// It is kept in the caller's store `StorageKey.davinciSession`, else in that of the configuration. Nothing is written there
    /// before the flow has come to its good end.
    public static let session = Module.of({ DaVinciSessionConfig() }, name: "davinci session") { setup in
        let settings = try DaVinciModuleSettings.of(setup)
        let services = setup.services
        if let own = setup.config.storage { setup.keep(.davinciSession, in: own) }
        setup.runs(after: tokens)

        setup.start { context, request in
            // rule: a flow that ignores the session does not send it
            guard context.flow[.davinciIgnoresSession] != true,
                let kept = try await context.caller.storages[.davinciSession]?.get()
            else { return }
            context.flow[.davinciBefore] = kept.value.reveal()
            context.flow[.davinciSession] = kept.cookies
            request.cookies.merge(kept.cookies)
        }
        setup.next { context, _, request in
            // It may have made them new in another flow meanwhile.
            // rule: cookies that the flow made new are not overwritten | true
            if context.flow[.davinciRenewed] != true,
                let kept = try? await context.caller.storages[.davinciSession]?.get(),
                // rule: a flow takes cookies of its own session alone | true
                context.flow[.davinciBefore] == kept.value.reveal()
            {
                context.flow[.davinciSession] = kept.cookies
            }
            for key in [FlowKey.davinciSession, .cookies] {
                if let jar = context.flow[key] { request.cookies.merge(jar) }
            }
        }
        setup.response { context, response in
            settings.keepCookies(of: response, in: &context.flow, now: services.time.now())
        }
        setup.success { context, node in
            guard node.isSignedIn, var session = node.session as? DaVinciSession else { return }
            let storage = context.caller.storages[.davinciSession]
            session.cookies = context.flow[.davinciSession] ?? CookieJar()
            session.idToken = try await context.caller.storages[.tokens]?.get()?.idToken
            if DaVinciAnswer.sessionName(in: node.input) == nil {
                let kept = try await storage?.get()
                let isBefore = kept.map { $0.value.reveal() == context.flow[.davinciBefore] } ?? false
                session.nameItself(after: isBefore ? kept : nil)
            }
            context.flow[.davinciKept] = session.value.reveal()
            node.session = session
            try await storage?.save(session)
        }
        setup.abandon { context, node in
            guard context.flow[.davinciSession] != nil || context.flow[.davinciKept] != nil else { return }
            let cookies = context.flow[.davinciSession] ?? CookieJar()
            let storage = context.caller.storages[.davinciSession]
            let kept: DaVinciSession?
            // Whether it was there before is not known: then it may be the one that lives on.
            do { kept = try await storage?.get() } catch { return }
            var name = context.flow[.davinciKept] ?? DaVinciAnswer.sessionName(in: node.input)
            // Without tokens nobody knows whose it is that has no name. It goes on from the one that the flow came with, of
            // which PingOne makes no other user's: to end it might end what the browser still uses.
            if name == nil { name = context.flow[.davinciBefore] }
            var session = DaVinciSession(value: name.map { Secret($0) } ?? node.session.value, cookies: cookies)
            // A session that was there before goes on, with the cookies that PingOne has made new.
            if context.flow[.davinciBefore] == session.value.reveal(), var kept, kept.value == session.value {
                guard kept.cookies != cookies else { return }
                kept.cookies = cookies
                try? await storage?.save(kept)
                return
            }
            // rule: a session that is kept under another name is not ended
            if let kept, kept.value != session.value, kept.isSame(as: session) { return }
            // rule: a session of a failed DaVinci flow is not kept
            if let kept, kept.value == session.value {
                session.idToken = kept.idToken
                try? await storage?.delete()
            }
            if await settings.end(session, services, deadline: context.caller.deadline) == .ended { return }
            services.logger.warning(
                "a session of a failed flow could not be ended", metadata: ["request.id": "\(context.caller.requestID)"]
            )
            context.orphan = session
        }
        setup.signOff { context, request in
            let stored = context.caller.storages[.davinciSession]
            let session: DaVinciSession?
            do { session = try await stored?.get() } catch {
                try await stored?.delete()
                throw error
            }
            try await stored?.delete()
            guard let session else { throw NoDaVinciSessionError() }
            request = try await settings.endings(of: session, deadline: context.caller.deadline).first ?? request
        }
    }
}

extension DaVinciModuleSettings {
    /// Puts the cookies of an answer into the flow: those of the session apart from its own.
    func keepCookies(of response: Response, in flow: inout FlowContext, now: Timestamp) {
        guard let url = response.request.url else { return }
        let received = response.setCookies.compactMap { SetCookie(parsing: $0) }
        for key in [FlowKey.davinciSession, .cookies] {
            let own = received.filter { persistCookies.contains($0.name) == (key == .davinciSession) }
            guard !own.isEmpty else { continue }
            var jar = flow[key] ?? CookieJar()
            let before = jar
            for cookie in own { jar.store(cookie, from: url, now: now) }
            if jar != before { flow[key] = jar.isEmpty ? nil : jar }
            if jar != before, key == .davinciSession { flow[.davinciRenewed] = true }
        }
    }

    /// The requests that can end a session, to be tried in turn.
    ///
    /// PingOne's own endpoint goes by the ID token alone, so it comes first where there are no cookies.
    ///
    /// - Returns: One request or two, with the cookies of the session and its ID token.
    func endings(
        of session: DaVinciSession, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> [Request] {
        try await client.endSessionAddresses(
            EndSessionOptions(idToken: session.idToken),
            preferringPing: session.cookies.isEmpty && session.idToken != nil, deadline: deadline
        ).map { address in
            var request = Request(address)
            request.cookies = session.cookies
            request.setHeader(name: "Accept", value: "application/json")
            return request
        }
    }

    /// Ends a session, by each way in turn until PingOne has done so.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - tried: What came of the ways that have been tried already.
    ///   - services: Sends the requests.
    ///   - deadline: Gives up at this instant.
    /// - Returns: `.refused` only where PingOne refuses each way.
    func end(
        _ session: DaVinciSession, after tried: [SessionEnding] = [], _ services: WorkflowServices,
        deadline: ContinuousClock.Instant
    ) async -> SessionEnding {
        guard let requests = try? await endings(of: session, deadline: deadline) else { return .unanswered }
        var isRefused = tried.allSatisfy { $0 == .refused }
        for request in requests.dropFirst(tried.count) {
            let ending = (try? await services.send(request, deadline: deadline)).map { SessionEnding($0) }
            if ending == .ended { return .ended }
            if ending != .refused { isRefused = false }
        }
        return isRefused ? .refused : .unanswered
    }
}
