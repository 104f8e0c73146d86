public import Basics
internal import HTTPCore
internal import JSON
internal import Logs
public import Orchestrate

extension FlowKey where Value == CookieJar {
    /// The load balancer's cookies of this flow.
    static var balancer: FlowKey { FlowKey("journey.balancer") }
}

extension FlowKey where Value == Bool {
    /// Whether a session was there when the step was sent.
    static var hadSession: FlowKey { FlowKey("journey.hadSession") }
    /// Whether the flow began with a session, and says on each step what it is.
    static var upgrades: FlowKey { FlowKey("journey.upgrades") }
}

/// There is no session to sign off.
struct NoSessionError: Error {}

/// Where the session of a journey is kept.
public struct SessionConfig: Sendable {
    /// The store for callers who bring none; all such callers share it.
    ///
    /// Without one nothing is kept for them.
    public var storage: (any Storage<SSOSession>)?

    /// Makes a configuration by which each caller brings the store.
    public init() {}
}

extension JourneyModules {
    /// Carries the SSO session, as header and cookie of its name, keeps it at the end and ends it at sign-off.
    ///
    /// It is kept in the caller's store `StorageKey.session`, else in that of the configuration; without both it is not kept.
    public static let session = Module.of({ SessionConfig() }, name: "journey session") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        let services = setup.services
        if let own = setup.config.storage { setup.keep(.session, in: own) }

        setup.start { context, request in
            var session = try await context.caller.storages[.session]?.get()
            if settings.sessionUpgrade == .parameter, let options = context.flow[.options], options.isUpgrade,
                let before = session
            {
                // AM refuses a dead session there, and repeats it in its message; elsewhere a dead one is as good as none.
                let status = try await settings.status(
                    of: before, cookieName: try settings.cookie.current, services, deadline: context.caller.deadline)
                if status == .gone {
                    session = nil
                } else {
                    if options.forceAuth { request.parameter(name: "ForceAuth", value: "true") }
                    request.parameter(name: "sessionUpgradeSSOTokenId", value: before.value.reveal())
                }
            }
            context.flow[.upgrades] = session != nil && !(context.flow[.options]?.isResumed ?? false) ? true : nil
            try carry(session, as: settings.cookie.current, &context, &request)
        }
        setup.next { context, node, request in
            let session = try await context.caller.storages[.session]?.get()
            try carry(session, as: settings.cookie.current, &context, &request)
            // By one of these AM may recognise who comes back from another site (docs/protocol.md, 'Leaving and resuming').
            // rule: cookies of a flow go along with a redirect
            if JourneyPage(node).redirect != nil, let own = context.flow[.cookies] { request.cookies.merge(own) }
        }
        setup.response { context, response in
            guard let url = response.request.url else { return }
            let own = try settings.cookie.current
            let received = response.setCookies.compactMap { SetCookie(parsing: $0) }.filter { $0.name != own }
            if received.isEmpty { return }
            for key in [FlowKey.balancer, .cookies] {
                var jar = context.flow[key] ?? CookieJar()
                let before = jar
                for cookie in received where settings.balancerCookies.contains(cookie.name) == (key == .balancer) {
                    jar.store(cookie, from: url, now: services.time.now())
                }
                if jar != before { context.flow[key] = jar.isEmpty ? nil : jar }
            }
        }
        setup.success { context, node in
            guard node.isSignedIn, var session = node.session as? SSOSession else { return }
            session.cookies = try await context.caller.storages[.session]?.get()?.cookies ?? CookieJar()
            if let balancer = context.flow[.balancer] { session.cookies.merge(balancer) }
            node.session = session
            try await context.caller.storages[.session]?.save(session)
        }
        setup.abandon { context, node in
            guard node.isSignedIn, let session = node.session as? SSOSession, let name = try? settings.cookie.current
            else { return }
            let storage = context.caller.storages[.session]
            if context.flow[.hadSession] == true {
                // The user was signed in before. The session that is kept goes on, whichever it is; one that could not be
                // kept is nobody's.
                do {
                    // rule: a session that is kept outlives a failed flow
                    if try await storage?.get()?.value == session.value { return }
                } catch { return }
            } else {
                // rule: a session of a failed flow is not kept
                try? await storage?.delete()
            }
            let ending = try? await settings.endSession(
                session, cookieName: name, services, deadline: context.caller.deadline,
                requestID: context.caller.requestID)
            if ending?.isDone ?? false { return }
            services.logger.warning(
                "a session of a failed flow could not be ended", metadata: ["request.id": "\(context.caller.requestID)"]
            )
            context.orphan = session
        }
        setup.signOff { context, request in
            let stored = context.caller.storages[.session]
            let session: SSOSession?
            do { session = try await stored?.get() } catch {
                try await stored?.delete()
                throw error
            }
            try await stored?.delete()
            guard let session else { throw NoSessionError() }
            request = settings.sessionsRequest(.logout, session, cookieName: try settings.cookie.current)
        }
    }

    /// Puts a session and the balancer's cookies on a request.
    private static func carry(
        _ session: SSOSession?, as name: String, _ context: inout StepContext, _ request: inout Request
    ) throws(EngineError) {
        context.flow[.hadSession] = session != nil ? true : nil
        request.carry(session, as: name)
        if let balancer = context.flow[.balancer] { request.cookies.merge(balancer) }
    }
}
