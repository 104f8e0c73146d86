internal import Basics
internal import OpenIDConnect
public import Orchestrate

/// There are no tokens to revoke.
struct NoTokens: Error {}

/// Tokens that were forgotten here and could not be revoked at the provider.
struct RevocationFailed: Error {
    let cause: OpenIDError
}

extension JourneyModules {
    /// Obtains tokens at the end of a journey and revokes them at sign-off; idle in a client without an OIDC client.
    ///
    /// They are kept in the caller's store `StorageKey.tokens`. Those of another user who was signed in before are revoked.
    public static let tokens = Module.of(name: "journey tokens") { setup in
        let settings = try JourneySettings.of(setup)
        let services = setup.services
        guard let source = settings.tokens else { return }
        setup.runs(after: JourneyModules.session)

        setup.success { context, node in
            guard node.isSignedIn, let session = node.session as? SSOSession else { return }
            let tokens: TokenSet
            do throws(JourneyTokenError) {
                tokens = try await source.tokens(
                    for: session, acrValues: context.flow[.options]?.acrValues ?? [], settings: settings,
                    services: services, shared: context.shared, caller: context.caller)
            } catch {
                if error == .sessionEnded { try await context.caller.storages[.session]?.delete() }
                throw error
            }
            guard let storage = context.caller.storages[.tokens] else { return }
            let before = try await storage.get()
            try await storage.save(tokens)
            if let before, (before.issuer, before.subject) != (tokens.issuer, tokens.subject) {
                try? await source.client.revoke(before, deadline: context.caller.deadline)
            }
        }
        setup.signOff { context, _ in
            let storage = context.caller.storages[.tokens]
            let tokens: TokenSet?
            do { tokens = try await storage?.get() } catch {
                try await storage?.delete()
                throw error
            }
            try await storage?.delete()
            guard let tokens else { throw NoTokens() }
            do throws(OpenIDError) {
                try await source.client.revoke(tokens, deadline: context.caller.deadline)
            } catch {
                throw RevocationFailed(cause: error)
            }
        }
    }
}
