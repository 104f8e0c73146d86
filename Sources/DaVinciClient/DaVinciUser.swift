internal import Basics
public import OpenIDConnect
internal import Orchestrate

/// A user whom a DaVinci flow signed in.
///
/// New tokens come by a silent start. While PingOne is not available, or would ask the user, `token()` returns a stored
/// access token that has not expired.
public typealias DaVinciUser = SignedInUser

/// The reason why there are no tokens of a DaVinci user.
public typealias DaVinciTokenError = UserTokenError

extension BoundDaVinci: TokenGrant {
    /// The token source.
    package var source: TokenSource { davinci.settings.tokens }

    /// New tokens by a start with `prompt=none`; concurrent callers share one start.
    ///
    /// The new tokens prove no more about the sign-in than the stored tokens of the same user.
    package func authorize(replacing old: TokenSet?) async throws(UserTokenError) -> TokenSet {
        let session: DaVinciSession?
        do { session = try await self.session() } catch { throw .store(error) }
        guard let session else { throw .noSession }
        return try await davinci.settings.tokens.once(session.value) { () throws(UserTokenError) in
            // A later caller may hold tokens that were replaced meanwhile.
            if let current = try await caller.tokens(), current.accessToken != old?.accessToken { return current }
            let tokens = try await obtain()
            guard let old, old.isSameUser(as: tokens) else { return tokens }
            let limited = tokens.limited(by: old)
            try await caller.keep(limited)
            return limited
        }
    }

    /// True unless the caller was cancelled, or its store failed.
    package func keepsTokens(after error: UserTokenError) -> Bool {
        switch error {
        case .provider(.cancelled), .store: false
        default: true
        }
    }

    /// The tokens of a silent start, which writes them into the caller's store itself.
    private func obtain() async throws(UserTokenError) -> TokenSet {
        var options = DaVinciStartOptions()
        options.prompt = "none"
        let step: FlowStep
        do { step = try await start(options) } catch { throw .provider(.cancelled) }
        switch step.node {
        case .success:
            guard let tokens = try await caller.tokens() else {
                throw .provider(.configuration("the caller has no token storage"))
            }
            return tokens
        case .continue: throw .loginRequired
        case .error: throw .provider(.noUsableAnswer)
        case .failure(let node): throw UserTokenError(node.cause)
        }
    }

    /// The user of the caller's session or tokens; nil when there is neither; sends no request.
    ///
    /// - Throws: `.store` when a store fails.
    public func user() async throws(DaVinciTokenError) -> DaVinciUser? {
        let session: DaVinciSession?
        do { session = try await self.session() } catch { throw .store(error) }
        return try await SignedInUser(of: self, hasSession: session != nil)
    }
}

extension UserTokenError {
    /// Converts the failure of a silent start.
    fileprivate init(_ cause: EngineError) {
        if [.loginRequired, .providerRefused, .accountMismatch].contains(cause.davinci?.reason) {
            self = .loginRequired
            return
        }
        self =
            switch cause {
            case .moduleFailed(_, let error as OpenIDError): .provider(error)
            case .moduleFailed(_, let error as StorageError): .store(error)
            case _ where cause.davinci?.reason == .configuration:
                .provider(.configuration(cause.davinci?.check ?? ""))
            case .notReached: .provider(.notReached)
            case .busy(_, let wait): .provider(.busy(retryAfter: wait))
            default: .provider(.noUsableAnswer)
            }
    }
}
