public import Basics
internal import HTTPCore
internal import Logs
internal import OpenIDConnect
public import Orchestrate

extension FlowKey where Value == CookieJar {
    /// The session's cookies in their current state in the flow.
    static var davinciSession: FlowKey { FlowKey("davinci.sessionCookies") }
}

extension FlowKey where Value == Bool {
    /// True if the flow does not send the stored session.
    static var davinciIgnoresSession: FlowKey { FlowKey("davinci.ignoresSession") }
    /// True if PingOne has rotated the session's cookies in this flow.
    static var davinciRenewed: FlowKey { FlowKey("davinci.renewed") }
}

extension FlowKey where Value == String {
    /// The id of the session that was stored when the flow began.
    static var davinciBefore: FlowKey { FlowKey("davinci.before") }
    /// The id under which the session of a successful flow is stored.
    static var davinciKept: FlowKey { FlowKey("davinci.kept") }
}

/// The configuration of the session store.
public struct DaVinciSessionConfig: Sendable {
    /// The store for callers that bring no store; all such callers share it.
    ///
    /// Without it no session is stored for them.
    public var storage: (any Storage<DaVinciSession>)?

    /// Makes a configuration that requires each caller to bring a store.
    public init() {}
}

extension DaVinciModules {
    /// Sends the cookies of the flow and of the session, stores the session after a success and ends it at sign-off.
    ///
    /// The session is stored in the caller's store `StorageKey.davinciSession`, else in the configured store. Nothing
    /// is stored before the flow has succeeded.
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
            // Another flow may have rotated the cookies meanwhile.
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
            // It is unknown if a stored session existed before; if so, it may be the one that stays.
            do { kept = try await storage?.get() } catch { return }
            var name = context.flow[.davinciKept] ?? DaVinciAnswer.sessionName(in: node.input)
            // Without tokens, the user of a session without an id is unknown. It continues the session that the flow
            // began with, which PingOne never gives to another user: ending it might end the session that the browser
            // still uses.
            if name == nil { name = context.flow[.davinciBefore] }
            var session = DaVinciSession(value: name.map { Secret($0) } ?? node.session.value, cookies: cookies)
            // A session that existed before stays, with the cookies that PingOne has rotated.
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
            guard let session = try await context.caller.storages[.davinciSession]?.take() else {
                throw NoSessionError()
            }
            request = try await settings.endings(of: session, deadline: context.caller.deadline).first ?? request
        }
    }
}

extension DaVinciModuleSettings {
    /// Stores the cookies of an answer in the flow; the session's cookies are kept apart from the flow's own.
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

    /// The requests that can end a session, in the order in which to try them.
    ///
    /// PingOne's own endpoint needs only the ID token, so it comes first where there are no cookies.
    ///
    /// - Returns: One request or two, with the session's cookies and ID token.
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

    /// Ends a session: tries each request in turn until PingOne has ended it.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - tried: The results of the requests that have been tried already.
    ///   - services: Sends the requests.
    ///   - deadline: Gives up at this instant.
    /// - Returns: `.refused` only if PingOne refuses every request.
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
