internal import Basics
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
    public var options: @Sendable (Context) -> AuthorizeOptions = { context in
        AuthorizeOptions(traceparent: context.caller.traceparent)
    }
    /// A login redirect right after a success is the provider's replication lag: the request is repeated after each of
    /// these waits.
    public var retries: [Duration] = [.milliseconds(100), .milliseconds(400)]
    /// Waits; replaced in tests.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// A configuration without a client.
    public init() {}
}

/// Obtains tokens when a flow succeeds, and saves them in the caller's storage.
public enum OIDC {
    /// The module, whose success handler obtains tokens with the session of the success node.
    public static let module = Module.of({ OIDCConfig() }, name: "oidc") { setup in
        let config = setup.config
        guard let client = config.client else { throw OpenIDError.configuration("the OIDC module has no client") }
        setup.success { context, node in
            guard let session = config.session(context, node) else { return }
            let options = config.options(context)
            let tokens = try await client.authorize(
                session: session, options: options, retries: config.retries, sleep: config.sleep,
                deadline: context.caller.deadline)
            try await context.caller.storages[.tokens]?.save(tokens)
        }
    }
}
