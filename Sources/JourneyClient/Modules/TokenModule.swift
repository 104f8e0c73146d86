internal import OpenIDConnect
public import Orchestrate

extension JourneyModules {
    /// Obtains tokens at the end of a journey and revokes them at sign-off, see `Setup.keepsTokens`.
    ///
    /// Does nothing in a client without an OIDC client.
    public static let tokens = Module.of(name: "journey tokens") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        let services = setup.services
        guard let source = settings.tokens else { return }
        if let own = settings.tokenStorage { setup.keep(.tokens, in: own) }
        setup.runs(after: JourneyModules.session)
        setup.keepsTokens(of: source.client) { context, node in
            guard let session = node.session as? SSOSession else { throw JourneyTokenError.noSession }
            return try await source.tokens(
                for: session, isIssued: context.flow[.hadSession] != true,
                acrValues: context.flow[.options]?.acrValues ?? [], settings: settings, services: services,
                caller: context.caller)
        }
    }
}
