extension SimulatedClient {
    /// The clients of the dialect `openam`.
    ///
    /// `standard` with opaque access tokens, and two that only OpenAM has: `bff-hs`, which signs by the default of new
    /// clients, HS256 with the secret `a-secret-of-more-than-32-bytes-for-HS256`, and `bff-consent` (secret
    /// `consent-secret`), whose users are asked for consent. No client may introspect the tokens of another.
    package static let openAM: [SimulatedClient] = {
        let callback = "https://app.example.com/callback"
        var clients = standard.map { client in
            var client = client
            client.tokenFormat = .opaque
            client.signsWithSecret = false
            return client
        }
        var symmetric = SimulatedClient(
            id: "bff-hs", secret: "a-secret-of-more-than-32-bytes-for-HS256", redirectURIs: [callback])
        symmetric.tokenFormat = .opaque
        var consent = SimulatedClient(id: "bff-consent", secret: "consent-secret", redirectURIs: [callback])
        consent.tokenFormat = .opaque
        consent.signsWithSecret = false
        consent.impliesConsent = false
        clients += [symmetric, consent]
        return clients
    }()
}
