public import Basics
public import HTTPCore

/// The cookies of a provider that outlive the flow.
public struct CookieConfig: Sendable {
    /// The names of the cookies that are kept in the caller's store; all others end with the flow.
    public var persist: [String] = []
    /// The key of the caller's store; without that store and without `storage` no cookie outlives the flow.
    public var storageKey = StorageKey<CookieJar>.cookies
    /// The store for callers that bring none; all such callers share it.
    public var storage: (any Storage<CookieJar>)?
    /// The storage, under the name it has in the SDK for iOS.
    public var cookieStorage: (any Storage<CookieJar>)? {
        get { storage }
        set { storage = newValue }
    }

    /// Makes a configuration in which no cookie outlives its flow.
    public init() {}
}

extension StorageKey where Item == CookieJar {
    /// The key of the cookies that are sent to the provider again in the caller's next flow.
    public static var cookies: StorageKey { StorageKey("cookies") }
}

extension FlowKey where Value == CookieJar {
    /// The key of the cookies that a provider has set in this flow.
    public static var cookies: FlowKey { FlowKey("orchestrate.cookies") }
}

extension Modules {
    /// Keeps the provider's cookies: in the flow, and the named ones in the caller's store.
    ///
    /// Cookies are matched by RFC 6265 when the request is sent, so the module's place in the order does not matter.
    public static let cookies = Module.of({ CookieConfig() }, name: "cookies") { setup in
        let config = setup.config
        let time = setup.services.time
        if let own = config.storage { setup.keep(config.storageKey, in: own) }

        setup.start { context, request in
            if let kept = try await context.caller.storages[config.storageKey]?.get() { request.cookies.merge(kept) }
        }
        setup.next { context, _, request in
            if let kept = try await context.caller.storages[config.storageKey]?.get() { request.cookies.merge(kept) }
            if let own = context.flow[.cookies] { request.cookies.merge(own) }
        }
        setup.response { context, response in
            guard let url = response.request.url else { return }
            let received = response.setCookies.compactMap { SetCookie(parsing: $0) }
            let now = time.now()
            let lasting = received.filter { config.persist.contains($0.name) }
            if received.count > lasting.count {
                var jar = context.flow[.cookies] ?? CookieJar()
                for cookie in received where !config.persist.contains(cookie.name) {
                    jar.store(cookie, from: url, now: now)
                }
                context.flow[.cookies] = jar.isEmpty ? nil : jar
            }
            guard !lasting.isEmpty, let storage = context.caller.storages[config.storageKey] else { return }
            let before = try await storage.get() ?? CookieJar()
            var jar = before
            for cookie in lasting { jar.store(cookie, from: url, now: now) }
            jar.keep(config.persist)
            if jar == before { return }
            if jar.isEmpty { try await storage.delete() } else { try await storage.save(jar) }
        }
        setup.signOff { context, request in
            guard let storage = context.caller.storages[config.storageKey] else { return }
            do {
                if let kept = try await storage.get() { request.cookies.merge(kept) }
            } catch {
                try await storage.delete()
                throw error
            }
            try await storage.delete()
        }
    }
}
