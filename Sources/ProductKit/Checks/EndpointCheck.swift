internal import Basics
internal import Discovery
internal import OpenIDConnect

/// Tries the endpoints that a discovery document may omit, with the client's own credentials and a made-up token.
struct EndpointCheck {
    let client: OpenIDClient
    let deadline: ContinuousClock.Instant

    /// The result of a try.
    enum Outcome: Equatable {
        case fine
        case warning(String)
        case failure(String)
    }

    /// Tries the revocation endpoint; its absence is a warning, because users can sign in, but signing out revokes no
    /// tokens.
    func revocation() async -> Outcome {
        do {
            try await client.tryRevocation(deadline: deadline)
            return .fine
        } catch .noRevocation {
            return .warning(
                "the provider names no revocation endpoint: tokens that are forgotten here stay good there; "
                    + "set oidc.revocationEndpoint if it has one")
        } catch {
            return .failure(sentence(error, "revocationEndpoint"))
        }
    }

    /// Tries the introspection endpoint if the settings name it or the provider is an AM; nil otherwise, because the
    /// clients work without it.
    func introspection() async -> Outcome? {
        let endpoints = client.settings.endpoints
        guard endpoints.isAM || endpoints.introspection != nil else { return nil }
        do {
            try await client.tryIntrospection(deadline: deadline)
            return .fine
        } catch {
            return .warning(sentence(error, "introspectionEndpoint"))
        }
    }

    private func sentence(_ error: OpenIDError, _ setting: String) -> String {
        switch error {
        case .invalidClient: return LiveCheck.unknownClient(client.settings)
        case .rejected(_, 404): return "the provider has nothing there (status 404); set oidc.\(setting)"
        case .rejected(let code, let status):
            return "the provider refuses it: \(code.isEmpty ? "status \(status)" : code)"
        case .configuration(let what): return what
        case .busy: return "the provider is too busy"
        default: return "the provider gives no usable answer"
        }
    }
}
