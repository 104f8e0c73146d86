internal import Basics
internal import HTTPCore
internal import JSON
public import Orchestrate

extension FlowKey where Value == CookieJar {
    /// The load balancer's cookies of this flow.
    static var balancer: FlowKey { FlowKey("journey.balancer") }
}

extension FlowKey where Value == Bool {
    /// Whether a session was there when the step was sent.
    static var hadSession: FlowKey { FlowKey("journey.hadSession") }
}

/// There is no session to sign off.
struct NoSession: Error {}

extension JourneyModules {
    /// Carries the SSO session, as the header named like AM's cookie, keeps it at the end and ends it at sign-off.
    ///
    /// It is kept in the caller's store `StorageKey.session`; without one it is not kept.
    public static let session = Module.of(name: "journey session") { setup in
        let settings = try JourneySettings.of(setup)
        let services = setup.services

        setup.start { context, request in try await carry(&context, &request) }
        setup.next { context, _, request in try await carry(&context, &request) }
        setup.response { context, response in
            guard let url = response.request.url else { return }
            var jar = context.flow[.balancer] ?? CookieJar()
            let before = jar
            for cookie in response.setCookies.compactMap({ SetCookie(parsing: $0) })
            where settings.balancerCookies.contains(cookie.name) {
                jar.store(cookie, from: url, now: services.time.now())
            }
            if jar != before { context.flow[.balancer] = jar.isEmpty ? nil : jar }
        }
        setup.success { context, node in
            guard node.isSignedIn, var session = node.session as? SSOSession else { return }
            session.cookies = try await context.caller.storages[.session]?.get()?.cookies ?? CookieJar()
            if let balancer = context.flow[.balancer] { session.cookies.merge(balancer) }
            node.session = session
            try await context.caller.storages[.session]?.save(session)
        }
        setup.abandon { context, node in
            guard node.isSignedIn, let session = node.session as? SSOSession, let name = try? context.cookieName
            else { return }
            let storage = context.caller.storages[.session]
            if context.flow[.hadSession] == true {
                // The user was signed in before. The session that is kept goes on, whichever it is; one that could not be
                // kept is nobody's.
                do {
                    if try await storage?.get()?.value == session.value { return }
                } catch { return }
            } else {
                try? await storage?.delete()
            }
            let request = logout(session, settings, cookieName: name)
            _ = try? await services.send(
                request, deadline: context.caller.deadline, requestID: context.caller.requestID)
        }
        setup.signOff { context, request in
            let stored = context.caller.storages[.session]
            let session: SSOSession?
            do { session = try await stored?.get() } catch {
                try await stored?.delete()
                throw error
            }
            try await stored?.delete()
            guard let session else { throw NoSession() }
            request = logout(session, settings, cookieName: try context.cookieName)
        }
    }

    /// Puts the stored session and the balancer's cookies on a request.
    private static func carry(
        _ context: inout Context, _ request: inout Request
    ) async throws {
        let session = try await context.caller.storages[.session]?.get()
        context.flow[.hadSession] = session != nil ? true : nil
        if let session {
            request.header(name: try context.cookieName, value: session.value.reveal())
            request.cookies.merge(session.cookies)
        }
        if let balancer = context.flow[.balancer] { request.cookies.merge(balancer) }
    }

    /// The request that ends a session at AM.
    static func logout(_ session: SSOSession, _ settings: JourneySettings, cookieName: String) -> Request {
        var request = Request(settings.sessions)
        request.parameter(name: "_action", value: "logout")
        request.body([:])
        request.header(name: "Accept-API-Version", value: JourneySettings.sessionsVersion)
        request.header(name: cookieName, value: session.value.reveal())
        request.cookies = session.cookies
        return request
    }
}
