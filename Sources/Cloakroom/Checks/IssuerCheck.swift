internal import Basics
internal import Discovery
internal import HTTPCore
internal import Logs
internal import OpenIDConnect
internal import ProductKit
internal import ResourceServer

/// Checks one entry of `issuers`.
struct IssuerCheck {
    let place: Int
    let issuer: TrustedIssuer
    let transport: any HTTPTransport
    let directory: ProviderDirectory

    private var deadline: ContinuousClock.Instant { .now + .seconds(15) }

    /// Tries discovery, the keys where signatures are checked, and the credentials where introspection is used.
    func findings() async -> [LiveFinding] {
        let metadata: ProviderMetadata
        do {
            metadata = try await directory.metadata(location, deadline: deadline)
        } catch {
            return [finding("discovery", why(error))]
        }
        var findings = [finding("discovery", nil)]
        switch issuer.mode {
        case .jwt:
            findings.append(finding("keys", await keys(metadata)))
        case .introspection(let settings):
            findings.append(finding("introspection", await introspection(settings)))
        case .both(let settings):
            findings.append(finding("keys", await keys(metadata)))
            findings.append(finding("introspection", await introspection(settings)))
        }
        return findings
    }

    private var section: String { "issuers[\(place)]" }

    private func why(_ error: DiscoveryError) -> String {
        LiveCheck.sentence(
            error, at: issuer.discovery, correct: "\(section).issuer or \(section).discovery", section: section)
    }

    private func keys(_ metadata: ProviderMetadata) async -> String? {
        await LiveCheck.keys(metadata, directory, deadline, section: section)
    }

    private var location: ProviderLocation {
        ProviderLocation(
            issuer.discovery, issuer: issuer.issuer, endpointOrigins: issuer.endpointOrigins,
            insecureHTTP: issuer.insecureHTTP, endpoints: endpoints)
    }

    /// The endpoint of the settings, else that of the document; an AM has introspection even if its document omits it.
    private var endpoints: StatedEndpoints {
        let stated: WebURL? =
            switch issuer.mode {
            case .introspection(let settings), .both(let settings): settings.endpoint
            case .jwt: nil
            }
        return StatedEndpoints(introspection: stated, isAM: issuer.profile == .am)
    }

    private func finding(_ what: String, _ failure: String?) -> LiveFinding {
        LiveFinding(subject: "\(section): \(what)", failure: failure)
    }

    private func introspection(_ settings: IntrospectionSettings) async -> String? {
        let registration = OpenIDClient(
            OpenIDClientSettings(
                discovery: issuer.discovery, issuer: issuer.issuer, clientID: settings.clientID,
                authentication: settings.clientAuthentication, scopes: ["openid"], redirectURI: "",
                endpointOrigins: issuer.endpointOrigins, insecureHTTP: issuer.insecureHTTP,
                endpoints: endpoints),
            directory: directory, transport: transport, logger: .silent)
        do {
            try await registration.tryIntrospection(deadline: deadline)
            return nil
        } catch .invalidClient {
            return
                "the issuer does not answer this client; correct introspection.clientId, introspection.clientSecret or "
                + "introspection.clientAuthentication, or allow it to ask about tokens"
                + (registration.settings.authenticationAdvice.map { "; \($0)" } ?? "")
        } catch {
            return LiveCheck.sentence(error) { code, status in
                "the issuer answers \(status) \(code) about a made-up token; is its introspection endpoint right?"
            }
        }
    }
}

extension IntrospectionSettings {
    /// The client authentication in the type of the OpenID client.
    fileprivate var clientAuthentication: ClientAuthentication {
        switch authentication {
        case .basic: .basic(clientSecret)
        case .basicRaw: .basicRaw(clientSecret)
        case .post: .post(clientSecret)
        }
    }
}
