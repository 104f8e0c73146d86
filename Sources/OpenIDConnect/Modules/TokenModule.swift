internal import Basics
internal import Cryptography
public import Orchestrate

extension StorageKey where Item == TokenSet {
    /// The tokens of the caller's instance.
    public static var tokens: StorageKey<TokenSet> { StorageKey("oidc.tokens") }
}

/// What became of tokens at a sign-off; a workflow reports it as the cause of a failed module.
public enum TokenSignOffError: Error, Sendable, Equatable {
    /// There were none.
    case noTokens
    /// They were forgotten here, and the provider did not confirm that they are revoked.
    case notRevoked(OpenIDError)
}

extension Setup {
    /// Obtains tokens when a flow signs somebody in, keeps them in the caller's storage `StorageKey.tokens`, and revokes them at
    /// sign-off: the token side of a product's module.
    ///
    /// A caller without that storage gets a failure before anything is asked of the provider: tokens that nobody holds could
    /// not be revoked. New ones that could not be saved, or whose flow fails later, are revoked, and so are those of another
    /// user that they replace. Those of the same user are left to their end: a provider may revoke all of its grant.
    ///
    /// - Parameters:
    ///   - client: Revokes tokens.
    ///   - obtain: Gets the tokens of a success node; runs after every handler that was registered before.
    public func keepsTokens(
        of client: OpenIDClient,
        obtainedBy obtain: @escaping @Sendable (StepContext, SuccessNode) async throws -> TokenSet
    ) {
        success { context, node in
            guard node.isSignedIn else { return }
            guard let storage = context.caller.storages[.tokens] else {
                throw OpenIDError.configuration("the caller has no token storage")
            }
            let tokens = try await obtain(context, node)
            context.flow[.obtained] = tokens.mark
            // What cannot be read cannot be revoked either; it does not stand in the way of new tokens.
            let before = try? await storage.get()
            do {
                try await storage.save(tokens)
            } catch {
                await Task { try? await client.revoke(tokens, deadline: .now + .seconds(5)) }.value
                throw error
            }
            if let before, !before.isSameUser(as: tokens) {
                try? await client.revoke(before, deadline: context.caller.deadline)
            }
        }
        abandon { context, _ in
            guard let storage = context.caller.storages[.tokens], let tokens = try? await storage.get(),
                context.flow[.obtained] == tokens.mark
            else { return }
            try? await storage.delete()
            try? await client.revoke(tokens, deadline: context.caller.deadline)
        }
        signOff { context, _ in
            let storage = context.caller.storages[.tokens]
            let tokens: TokenSet?
            do { tokens = try await storage?.get() } catch {
                try await storage?.delete()
                throw error
            }
            try await storage?.delete()
            guard let tokens else { throw TokenSignOffError.noTokens }
            do throws(OpenIDError) {
                try await client.revoke(tokens, deadline: context.caller.deadline)
            } catch {
                throw TokenSignOffError.notRevoked(error)
            }
        }
    }
}

extension TokenSet {
    /// Tells these tokens from others without holding them.
    fileprivate var mark: String { Base64URL.encode(Digest.hash(utf8: accessToken.reveal())) }
}

extension FlowKey where Value == String {
    /// The mark of the tokens that a flow obtained.
    fileprivate static var obtained: FlowKey<String> { FlowKey("oidc.obtained") }
}
