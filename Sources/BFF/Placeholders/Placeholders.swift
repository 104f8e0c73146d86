import Basics
import Cryptography
import Sessions
import StorageKit

/// One-time codes and placeholders of tokens, for programs of a browser that expect those of OAuth 2.0.
///
/// Neither opens anything: all rights stay with the cookie. A code names the session, the instance and the redirect URI
/// that it was given for. Of the placeholders of an instance only the newest one can revoke the tokens that it stands
/// for, because programs revoke the former one after they got another.
package struct Placeholders: Sendable {
    private let environment: Environment
    private let users: UserAnswers
    private let logout: Logout

    /// The time in which a code can be exchanged.
    private static let life = Duration.seconds(60)

    init(_ environment: Environment, _ users: UserAnswers, _ logout: Logout) {
        self.environment = environment
        self.users = users
        self.logout = logout
    }

    /// Gives a code to a browser whose instance is signed in.
    ///
    /// - Parameters:
    ///   - request: The request that the exchange has to fit.
    ///   - name: The instance.
    ///   - context: The request.
    /// - Returns: The code.
    /// - Throws: `.unknownInstance`, `.signedOut`, `.sessionChanged`, `.providerUnavailable`, `.storeUnavailable`.
    package func code(
        for request: PlaceholderRequest, _ name: String, _ context: CallContext
    ) async throws(BFFError) -> String {
        let call = try environment.call(name, context)
        _ = try await users.user(name, refresh: false, context)
        guard let session = context.sessionKey else { throw .signedOut }
        return try await code(for: request, call, session)
    }

    /// Gives a code to a browser whose flow has just ended with a sign-in.
    ///
    /// - Parameters:
    ///   - request: The request that the exchange has to fit.
    ///   - name: The instance.
    ///   - cookie: The change of the cookie by the end of the flow.
    ///   - context: The request that ended the flow.
    /// - Returns: The code.
    /// - Throws: `.unknownInstance`, `.signedOut` for a flow without a session, `.storeUnavailable`.
    package func code(
        for request: PlaceholderRequest, _ name: String, after cookie: CookieChange, _ context: CallContext
    ) async throws(BFFError) -> String {
        let call = try environment.call(name, context)
        let cookies: SessionCookies =
            switch cookie {
            case .set(let value, _), .begin(let value):
                SessionCookies(session: value, start: nil, began: context.cookies.began)
            case .keep, .clear: context.cookies
            }
        guard let session = cookies.sessionKey else { throw .signedOut }
        return try await code(for: request, call, session)
    }

    private func code(
        for request: PlaceholderRequest, _ call: InstanceCall, _ session: SessionKey
    ) async throws(BFFError) -> String {
        let code = SealedPlace.newSecret()
        let record = PlaceholderCode(session: session.bytes, instance: call.instance.text, request: request)
        let expires = environment.now() + Self.life
        guard let place = SealedPlace(code, for: "placeholder code"),
            try await place.write(record.encoded, expires: expires, environment.store)
        else { throw .storeUnavailable(retryAfter: .seconds(1)) }
        return code
    }

    /// Exchanges a code, once.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - verifier: The PKCE verifier; nil for none.
    ///   - redirectURI: The redirect URI of the request for the code.
    ///   - name: The instance.
    ///   - context: The request.
    /// - Returns: The id of the new placeholder, the `nonce` of the request for the code, and the user; nil for a code
    ///   that is unknown, used, expired, or of another session, instance, redirect URI or verifier.
    /// - Throws: The errors of `code(for:_:_:)`.
    package func exchange(
        _ code: String, verifier: String?, redirectURI: String?, _ name: String, _ context: CallContext
    ) async throws(BFFError) -> PlaceholderGrant? {
        let call = try environment.call(name, context)
        guard let session = context.sessionKey, let place = SealedPlace(code, for: "placeholder code"),
            let content = try await place.read(environment.store),
            let record = try? PlaceholderCode(decoding: content.bytes), !record.isUsed,
            // rule: a code is exchanged by the session and the instance that it was given to
            record.session == session.bytes, record.instance == call.instance.text,
            // rule: a code is exchanged with the redirect URI and the verifier of its request
            record.request.fits(verifier: verifier, redirectURI: redirectURI)
        else { return nil }
        let user = try await users.user(name, refresh: false, context)
        var used = record
        used.isUsed = true
        let expires = environment.now() + Self.life
        let isFirst = try await place.write(used.encoded, over: content.revision, expires: expires, environment.store)
        // rule: a code is exchanged once
        guard isFirst else { return nil }
        let id = SecureRandom.token(16)
        try await note(id, session, call, expires: environment.now() + .seconds(user.absolute))
        return PlaceholderGrant(id: id, nonce: record.request.nonce, user: user)
    }

    /// Revokes and forgets the tokens that a placeholder stands for; does nothing for a placeholder that another one
    /// has replaced, and for any other text.
    ///
    /// - Throws: `.unknownInstance`, `.sessionChanged`, `.storeUnavailable`.
    package func revoke(_ id: String, _ name: String, _ context: CallContext) async throws(BFFError) {
        let call = try environment.call(name, context)
        guard let session = context.sessionKey,
            let newest = try await place(session, call)?.read(environment.store)?.bytes,
            // rule: the newest placeholder alone revokes
            newest == Array(id.utf8)
        else { return }
        _ = try await logout.revokeToken(name, context)
    }

    /// Stores the id of the newest placeholder of an instance; the last one to be written counts.
    private func note(
        _ id: String, _ session: SessionKey, _ call: InstanceCall, expires: Timestamp
    ) async throws(BFFError) {
        guard let place = place(session, call) else { return }
        for _ in 0..<3 {
            let former = try await place.read(environment.store)?.revision
            if try await place.write(Array(id.utf8), over: former, expires: expires, environment.store) { return }
        }
    }

    /// The place of the newest placeholder; its content is no secret.
    private func place(_ session: SessionKey, _ call: InstanceCall) -> SealedPlace? {
        let name = Digest.hash(session.bytes + [0] + call.instance.text.utf8)
        return SealedPlace(Base64URL.encode(name), for: "newest placeholder")
    }
}

/// A request for a code, which its exchange has to fit.
package struct PlaceholderRequest: Sendable, Equatable {
    /// The redirect URI of the request; nil for none.
    package let redirectURI: String?
    /// The PKCE challenge with the method S256; nil for none.
    package let challenge: String?
    /// The `nonce` for the placeholder of the ID token; nil for none.
    package let nonce: String?

    /// Makes a request for a code.
    package init(redirectURI: String?, challenge: String?, nonce: String? = nil) {
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.nonce = nonce
    }

    /// True if the exchange has the redirect URI of the request, and the verifier of its challenge.
    func fits(verifier: String?, redirectURI: String?) -> Bool {
        guard self.redirectURI == redirectURI else { return false }
        guard let challenge else { return verifier == nil }
        return verifier.map { Base64URL.encode(Digest.hash(utf8: $0)) == challenge } ?? false
    }
}

/// A placeholder that a code was exchanged for.
package struct PlaceholderGrant: Sendable {
    /// The id of the placeholder.
    package let id: String
    /// The `nonce` of the request for the code.
    package let nonce: String?
    /// The user of the instance.
    package let user: User
}
