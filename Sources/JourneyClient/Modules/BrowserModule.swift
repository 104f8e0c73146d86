internal import Basics
internal import HTTPCore
public import Orchestrate

extension JourneyModules {
    /// Sends AM the facts about the browser that the configuration allows: origin, IP address, user agent.
    ///
    /// They are sent to the authenticate endpoint only. Each request uses the facts of its own caller; none is kept in
    /// the flow.
    public static let browser = Module.of(name: "journey browser") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        setup.start { context, request in
            for field in settings.fields(about: context.caller.browser) { request.set(field) }
        }
        setup.next { context, _, request in
            for field in settings.fields(about: context.caller.browser) { request.set(field) }
        }
    }
}

extension JourneyModuleSettings {
    /// The longest `User-Agent` that is forwarded, in bytes.
    private static let userAgentLimit = 1024

    /// The header fields about a browser.
    func fields(about browser: BrowserFacts) -> [HTTPField] {
        [origin(of: browser), address(of: browser), userAgent(of: browser)].compactMap(\.self)
    }

    /// The page's origin if it is one of the application's; otherwise the origin of the public address.
    private func origin(of browser: BrowserFacts) -> HTTPField? {
        let known = browser.origin.flatMap { origins.contains($0) ? $0 : nil }
        return (known ?? publicOrigin).flatMap { try? HTTPField(.origin, checking: $0) }
    }

    /// The browser's IP address as the only entry, because AM reads a list from the left, where a client can forge
    /// entries.
    private func address(of browser: BrowserFacts) -> HTTPField? {
        guard forward.clientAddress == .xForwardedFor, let address = browser.address else { return nil }
        let host = address.contains(":") ? "[\(address)]" : address
        return HostAddress(host).flatMap { _ in try? HTTPField(.xForwardedFor, checking: address) }
    }

    /// The browser's own `User-Agent`, unchanged or not at all.
    private func userAgent(of browser: BrowserFacts) -> HTTPField? {
        guard forward.userAgent == .browser, let agent = browser.userAgent,
            (1...Self.userAgentLimit).contains(agent.utf8.count), agent.unicodeScalars.allSatisfy(Self.isPassedOn)
        else { return nil }
        return try? HTTPField(.userAgent, checking: agent)
    }

    /// False for control characters of the second kind (C1), which terminals obey, and for the replacement character.
    ///
    /// The replacement character stands for bytes that were not UTF-8, which would arrive changed.
    private static func isPassedOn(_ scalar: Unicode.Scalar) -> Bool {
        !(0x80...0x9F).contains(scalar.value) && scalar.value != 0xFFFD
    }
}
