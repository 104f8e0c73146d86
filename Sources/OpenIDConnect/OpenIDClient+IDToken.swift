internal import Basics
internal import Discovery
internal import JOSE

/// Why a signature could not be verified.
enum SignatureError: Error {
    /// No key of the provider fits the signature; `check` names what is missing.
    case noKey(check: String)
    /// The signature does not verify with the key that it should be made with.
    case wrong
    /// The provider's keys are not available.
    case provider(OpenIDError)
}

/// The sender of a token, which decides whose fetches of keys an unknown key id uses up.
enum TokenSender {
    /// The provider itself, at its token endpoint.
    case provider
    /// Any caller: the origin is proved by the signature alone.
    case anyone
}

/// Checks on the form and the signature of an ID token, before its claims are used.
extension OpenIDClient {
    /// Parses an ID token and checks that its algorithm is allowed.
    func parse(_ idToken: Secret<String>) throws(OpenIDError) -> JWS {
        let text = idToken.reveal()
        // rule: an encrypted ID token is a fault of the registration
        try checkNotEncrypted(text)
        let token: JWS
        do {
            token = try JWS.parse(text)
        } catch {
            throw .invalidIDToken(check: "form")
        }
        // rule: an ID token's algorithm is listed before keys are fetched
        try checkAlgorithm(token.header)
        return token
    }

    func claims(of token: JWS) throws(OpenIDError) -> JWTClaims {
        do {
            return try JWTClaims.parse(token.payload, otherAuthTime: settings.endpoints.authTimeClaim)
        } catch {
            throw .invalidIDToken(check: "claims")
        }
    }

    /// An encrypted token has five parts (RFC 7516 section 7.1), and comes only when the client is registered for it.
    private func checkNotEncrypted(_ text: String) throws(OpenIDError) {
        guard text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 4 else { return }
        throw .configuration("the ID token is encrypted; turn ID token encryption off for this client at the provider")
    }

    /// An algorithm that is not listed is a fault of the registration, which the user cannot correct.
    private func checkAlgorithm(_ header: JWSHeader) throws(OpenIDError) {
        let change = "change the client's ID token signing algorithm at the provider"
        let name = OAuthErrorBody.printable(header.algorithmName)
        if let algorithm = header.macAlgorithm {
            // rule: a MAC needs a client secret
            guard settings.authentication.secret != nil else {
                throw .configuration("alg \(name) needs a client secret, and this client has none; \(change)")
            }
            // rule: a MAC has a listed algorithm
            guard settings.macAlgorithms.contains(algorithm) else {
                throw .configuration("alg \(name) of the ID token is not in oidc.algorithms; \(change), or list it")
            }
        } else if let algorithm = header.algorithm {
            // rule: a signature of an ID token has a listed algorithm
            guard settings.algorithms.contains(algorithm) else {
                throw .configuration("alg \(name) of the ID token is not in oidc.algorithms; \(change), or list it")
            }
        } else {
            throw .configuration("alg \(name) of the ID token is never taken; \(change)")
        }
    }

    /// A secret shorter than the hash makes the MAC easier to guess (RFC 7518 section 3.2).
    func checkSecret() throws(OpenIDError) {
        guard let longest = settings.macAlgorithms.max(by: { $0.leastSecretBytes < $1.leastSecretBytes }) else {
            return
        }
        guard let secret = settings.authentication.secret else {
            throw .configuration("\(longest.rawValue) needs a client secret")
        }
        // rule: a secret is as long as its hash
        guard secret.reveal().utf8.count >= longest.leastSecretBytes else {
            throw .configuration(
                "\(longest.rawValue) needs a client secret of at least \(longest.leastSecretBytes) bytes")
        }
    }

    /// Checks the signature of an ID token: with the client secret where the algorithm is a MAC, else with the
    /// provider's keys.
    func verify(
        idToken token: JWS, from sender: TokenSender = .provider, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(SignatureError) {
        guard token.header.macAlgorithm != nil else {
            return try await verify(token, from: sender, metadata, deadline: deadline)
        }
        guard let secret = settings.authentication.secret else { throw .wrong }
        do { try token.verify(secret: secret, allowing: settings.macAlgorithms) } catch { throw .wrong }
    }

    /// Checks a signature with the provider's keys; fetches them again once when the key id is unknown, or when the
    /// token names no key and no known one has made the signature.
    ///
    /// Never with the client secret: anyone who has the secret could forge access tokens.
    func verify(
        _ token: JWS, from sender: TokenSender = .provider, _ metadata: ProviderMetadata,
        deadline: ContinuousClock.Instant
    ) async throws(SignatureError) {
        let known = try await keys(metadata, deadline)
        var isWrong = false
        do throws(SignatureError) {
            if try isSigned(token, with: known) { return }
        } catch {
            guard case .wrong = error, token.header.keyID == nil else { throw error }
            isWrong = true
        }
        let (fresh, isNew) = try await keys(metadata, afterMissing: token, from: sender, deadline)
        // rule: keys that were fetched anew are tried
        if fresh != known, try isSigned(token, with: fresh) { return }
        // rule: a signature that no key made is wrong without a key id as well
        if isWrong {
            // Keys that could not be looked at again do not show that none of them made it.
            throw isNew ? .wrong : .noKey(check: "signature")
        }
        let lack = token.header.algorithm.flatMap { fresh.lack(for: $0) }
        throw .noKey(check: lack.map { "key: \($0)" } ?? "key")
    }

    /// True if the signature verifies; false when no key of the set fits it.
    private func isSigned(_ token: JWS, with keys: JWKSet) throws(SignatureError) -> Bool {
        do throws(JOSEError) {
            try token.verify(with: keys, allowing: settings.algorithms, idIsHint: true)
            return true
        } catch {
            guard case .unknownKey = error else { throw .wrong }
            return false
        }
    }

    private func keys(
        _ metadata: ProviderMetadata, _ deadline: ContinuousClock.Instant
    ) async throws(SignatureError) -> JWKSet {
        do throws(DiscoveryError) {
            return try await directory.keys(for: metadata, deadline: deadline)
        } catch {
            throw .provider(OpenIDError(error))
        }
    }

    private func keys(
        _ metadata: ProviderMetadata, afterMissing token: JWS, from sender: TokenSender,
        _ deadline: ContinuousClock.Instant
    ) async throws(SignatureError) -> (keys: JWKSet, isNew: Bool) {
        guard let algorithm = token.header.algorithm else { return (try await keys(metadata, deadline), true) }
        do throws(DiscoveryError) {
            switch sender {
            case .provider:
                return try await directory.keys(
                    for: metadata, afterUnknown: token.header.keyID, algorithm, deadline: deadline)
            case .anyone:
                let keys = try await directory.keys(
                    for: metadata, afterUnknownOfAnyone: token.header.keyID, algorithm, deadline: deadline)
                return (keys, true)
            }
        } catch {
            throw .provider(OpenIDError(error))
        }
    }
}

extension OpenIDError {
    /// The error for a token whose signature could not be verified.
    init(_ failure: SignatureError) {
        self =
            switch failure {
            case .noKey(let check): .invalidIDToken(check: check)
            case .wrong: .invalidIDToken(check: "signature")
            case .provider(let error): error
            }
    }
}
