public import Basics
internal import HTTPCore
internal import JSON
internal import Logs
internal import OpenIDConnect
public import Orchestrate

extension FlowKey where Value == CookieJar {
    /// The load balancer cookies of this flow.
    static var balancer: FlowKey { FlowKey("journey.balancer") }
}

extension FlowKey where Value == Bool {
    /// True if the caller had a session when the step was sent.
    static var hadSession: FlowKey { FlowKey("journey.hadSession") }
    /// True if the flow started with a session and not by a link; then every step names the journey.
    static var upgrades: FlowKey { FlowKey("journey.upgrades") }
}

/// The configuration of where a journey's session is stored.
public struct SessionConfig: Sendable {
    /// The store for callers that bring none; all such callers share it.
    ///
    /// Without a store the session of such a caller is not kept.
    public var storage: (any Storage<SSOSession>)?

    /// Makes a configuration without a store, so that each caller brings one.
    public init() {}
}

extension JourneyModules {
    /// Sends the SSO session as header and cookie, stores it at the end of a journey and ends it at sign-off.
    ///
    /// The session is kept in the caller's store `StorageKey.session`, or else in the store of the configuration;
    /// without both it is not kept.
    public static let session = Module.of({ SessionConfig() }, name: "journey session") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        let services = setup.services
        if let own = setup.config.storage { setup.keep(.session, in: own) }

        setup.start { context, request in
            var session = try await context.caller.storages[.session]?.get()
            if settings.sessionUpgrade == .parameter, let options = context.flow[.options], options.isUpgrade,
                let before = session
            {
                // AM refuses an ended session in this parameter and repeats it in its message; in header and cookie AM
                // ignores it.
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
            // AM may recognise the returning user by one of these cookies (docs/protocol.md, 'Leaving and resuming').
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
                // The user was signed in before. The session in the store stays alive; a session that could not be
                // saved is ended.
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
            guard let session = try await context.caller.storages[.session]?.take() else { throw NoSessionError() }
            request = settings.sessionsRequest(.logout, session, cookieName: try settings.cookie.current)
        }
    }

    /// Adds a session and the load balancer cookies to a request.
    private static func carry(
        _ session: SSOSession?, as name: String, _ context: inout StepContext, _ request: inout Request
    ) throws(EngineError) {
        context.flow[.hadSession] = session != nil ? true : nil
        request.carry(session, as: name)
        if let balancer = context.flow[.balancer] { request.cookies.merge(balancer) }
    }
}
