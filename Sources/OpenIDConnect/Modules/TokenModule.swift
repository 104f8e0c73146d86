internal import Basics
internal import Cryptography
public import Orchestrate

extension StorageKey where Item == TokenSet {
    /// The tokens of the caller's instance.
    public static var tokens: StorageKey<TokenSet> { StorageKey("oidc.tokens") }
}

/// An error of the tokens' part of a sign-off; a workflow reports it as the cause of a failed module.
public enum TokenSignOffError: Error, Sendable, Equatable {
    /// The caller's storage held no tokens.
    case noTokens
    /// The tokens were deleted here, and the provider did not confirm that they are revoked.
    case notRevoked(OpenIDError)
}

extension Setup {
    /// Obtains tokens when a flow signs a user in, keeps them in the caller's storage `StorageKey.tokens`, and revokes
    /// them at sign-off.
    ///
    /// This is the token part of a product's module. A caller without that storage gets a failure before the provider
    /// is asked: tokens that are not stored could not be revoked. New tokens are revoked when they could not be saved
    /// or their flow fails later. Tokens of another user that they replace are revoked too. Replaced tokens of the same
    /// user are left to expire, because a provider may revoke the whole grant with them.
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
            // Old tokens that cannot be read cannot be revoked; the new tokens are saved anyway.
            let before = try? await storage.get()
            do {
                try await storage.save(tokens)
            } catch {
                await Task(executorPreference: CurrentExecutor.preference) {
                    try? await client.revoke(tokens, deadline: .now + .seconds(5))
                }.value
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
            guard let tokens = try await context.caller.storages[.tokens]?.take() else {
                throw TokenSignOffError.noTokens
            }
            do throws(OpenIDError) {
                try await client.revoke(tokens, deadline: context.caller.deadline)
            } catch {
                throw TokenSignOffError.notRevoked(error)
            }
        }
    }
}

extension TokenSet {
    /// A hash of the access token, which identifies the tokens without holding them.
    fileprivate var mark: String { Base64URL.encode(Digest.hash(utf8: accessToken.reveal())) }
}

extension FlowKey where Value == String {
    /// The mark of the tokens that a flow obtained.
    fileprivate static var obtained: FlowKey<String> { FlowKey("oidc.obtained") }
}
