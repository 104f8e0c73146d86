internal import Basics
internal import Discovery
internal import OpenIDConnect

/// Tries the endpoints that discovery may leave out, with the client's own credentials and a token that nobody has.
struct EndpointCheck {
    let client: OpenIDClient
    let deadline: ContinuousClock.Instant

    /// What became of a try.
    enum Outcome: Equatable {
        case fine
        case warning(String)
        case failure(String)
    }

    /// A provider without revocation is a warning: sign-in works, and ending it does not.
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

    /// Tried only where the settings name or AM implies it: the clients themselves do without.
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
