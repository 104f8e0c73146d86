internal import Basics
internal import Cryptography
public import Orchestrate

extension StorageKey where Item == TokenSet {
    /// The tokens of the caller's instance.
    public static var tokens: StorageKey<TokenSet> { StorageKey("oidc.tokens") }
}

/// How the OIDC module of a workflow gets its tokens.
public struct OIDCConfig: Sendable {
    /// The client; required.
    public var client: OpenIDClient?
    /// The provider session of a success node; nil when the node gave none, and then no tokens are obtained.
    public var session: @Sendable (Context, SuccessNode) -> SessionHeader? = { _, _ in nil }
    /// What the authorize request asks beyond the client's settings.
    public var options: @Sendable (Context) -> AuthorizeOptions = { _ in AuthorizeOptions() }
    /// How long to wait before each further attempt after a redirect to the login page.
    ///
    /// Right after a success that is the provider's replication lag more often than a weak session.
    public var retries: [Duration] = [.milliseconds(100), .milliseconds(400)]
    /// Waits; replaced in tests.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A configuration without a client.
    public init() {}
}

/// Obtains tokens when a flow succeeds, and saves them in the caller's storage `StorageKey.tokens`.
///
/// A caller without that storage gets a failure before anything is asked of the provider: tokens that nobody holds could
/// not be revoked. Tokens that the new ones replace are revoked, and so are new ones that could not be saved or whose flow
/// fails later.
public enum OIDC {
    /// The module; give it a higher priority number than the module that keeps the session.
    public static let module = Module.of({ OIDCConfig() }, name: "oidc") { setup in
        let config = setup.config
        guard let client = config.client else { throw OpenIDError.configuration("the OIDC module has no client") }
        setup.success { context, node in
            guard let session = config.session(context, node) else { return }
            guard let storage = context.caller.storages[.tokens] else {
                throw OpenIDError.configuration("the caller has no token storage")
            }
            let deadline = context.caller.deadline
            let tokens = try await client.authorize(
                session: session, options: config.options(context), retries: config.retries, sleep: config.sleep,
                deadline: deadline)
            context.flow[.obtained] = mark(tokens)
            let replaced = try await save(tokens, storage, client)
            if let replaced { try? await client.revoke(replaced, deadline: deadline) }
        }
        setup.abandon { context, _ in
            guard let storage = context.caller.storages[.tokens], let tokens = try? await storage.get(),
                context.flow[.obtained] == mark(tokens)
            else { return }
            try? await storage.delete()
            try? await client.revoke(tokens, deadline: context.caller.deadline)
        }
    }

    /// Saves tokens and returns those that were there; tokens that cannot be saved are revoked.
    private static func save(
        _ tokens: TokenSet, _ storage: any Storage<TokenSet>, _ client: OpenIDClient
    ) async throws -> TokenSet? {
        do {
            // What cannot be read cannot be revoked either; it does not stand in the way of new tokens.
            let before = try? await storage.get()
            try await storage.save(tokens)
            return before
        } catch {
            await Task { try? await client.revoke(tokens, deadline: .now + .seconds(5)) }.value
            throw error
        }
    }

    /// Tells the tokens of this flow from others without holding them.
    private static func mark(_ tokens: TokenSet) -> String {
        Base64URL.encode(Digest.hash(utf8: tokens.accessToken.reveal()))
    }
}

extension FlowKey where Value == String {
    /// The mark of the tokens that a flow obtained.
    fileprivate static var obtained: FlowKey<String> { FlowKey("oidc.obtained") }
}
