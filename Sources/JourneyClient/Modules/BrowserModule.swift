internal import Basics
internal import HTTPCore
public import Orchestrate

extension JourneyModules {
    /// Tells AM of the browser what the configuration allows, on authenticate alone: origin, address, user agent.
    ///
    /// Each call says what its own caller brings; nothing of it is kept in the flow.
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
    /// A longer `User-Agent` is not passed on; in bytes.
    private static let userAgentLimit = 1024

    /// The fields that tell AM of a browser.
    func fields(about browser: BrowserFacts) -> [HTTPField] {
        [origin(of: browser), address(of: browser), userAgent(of: browser)].compactMap(\.self)
    }

    /// The page's origin when it is one of the application's; any other, and none, becomes that of the public address.
    private func origin(of browser: BrowserFacts) -> HTTPField? {
        let known = browser.origin.flatMap { origins.contains($0) ? $0 : nil }
        return (known ?? publicOrigin).flatMap { try? HTTPField(.origin, checking: $0) }
    }

    /// One address and nothing else: AM reads a list from the left, and what stands there could be made up.
    private func address(of browser: BrowserFacts) -> HTTPField? {
        guard forward.clientAddress == .xForwardedFor, let address = browser.address else { return nil }
        let host = address.contains(":") ? "[\(address)]" : address
        return HostAddress(host).flatMap { _ in try? HTTPField(.xForwardedFor, checking: address) }
    }

    /// The browser's own words, unchanged or not at all.
    private func userAgent(of browser: BrowserFacts) -> HTTPField? {
        guard forward.userAgent == .browser, let agent = browser.userAgent,
            (1...Self.userAgentLimit).contains(agent.utf8.count), agent.unicodeScalars.allSatisfy(Self.isPassedOn)
        else { return nil }
        return try? HTTPField(.userAgent, checking: agent)
    }

    /// No control character of the second kind (C1), which terminals obey, and nothing that stands for bytes that were no
    /// UTF-8: they would arrive changed.
    private static func isPassedOn(_ scalar: Unicode.Scalar) -> Bool {
        !(0x80...0x9F).contains(scalar.value) && scalar.value != 0xFFFD
    }
}
