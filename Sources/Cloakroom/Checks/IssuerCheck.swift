internal import Basics
internal import Discovery
internal import HTTPCore
internal import Logs
internal import OpenIDConnect
internal import ResourceServer

/// The tries of one entry of `issuers`.
struct IssuerCheck {
    let place: Int
    let issuer: TrustedIssuer
    let transport: any HTTPTransport
    let directory: ProviderDirectory

    private var deadline: ContinuousClock.Instant { .now + .seconds(15) }

    /// Discovery, the keys where signatures are checked, and our credentials where it is asked.
    func findings() async -> [LiveFinding] {
        let metadata: ProviderMetadata
        do {
            metadata = try await directory.metadata(location, deadline: deadline)
        } catch {
            return [finding("discovery", LiveCheck.sentence(error))]
        }
        var findings = [finding("discovery", nil)]
        switch issuer.mode {
        case .jwt:
            findings.append(finding("keys", await LiveCheck.keys(metadata, directory, deadline)))
        case .introspection(let settings):
            findings.append(finding("introspection", await introspection(settings)))
        case .both(let settings):
            findings.append(finding("keys", await LiveCheck.keys(metadata, directory, deadline)))
            findings.append(finding("introspection", await introspection(settings)))
        }
        return findings
    }

    private var location: ProviderLocation {
        ProviderLocation(
            issuer.discovery, issuer: issuer.issuer, endpointOrigins: issuer.endpointOrigins,
            insecureHTTP: issuer.insecureHTTP, endpoints: endpoints)
    }

    /// An AM whose document leaves introspection out has it all the same.
    private var endpoints: StatedEndpoints { StatedEndpoints(isAM: issuer.profile == .am) }

    private func finding(_ what: String, _ failure: String?) -> LiveFinding {
        LiveFinding(subject: "issuers[\(place)]: \(what)", failure: failure)
    }

    private func introspection(_ settings: IntrospectionSettings) async -> String? {
        let registration = OpenIDClient(
            OpenIDClientSettings(
                discovery: issuer.discovery, issuer: issuer.issuer, clientID: settings.clientID,
                authentication: .basic(settings.clientSecret), scopes: ["openid"], redirectURI: "",
                endpointOrigins: issuer.endpointOrigins, insecureHTTP: issuer.insecureHTTP,
                endpoints: endpoints),
            directory: directory, transport: transport, logger: .silent)
        do {
            try await registration.tryIntrospection(deadline: deadline)
            return nil
        } catch .invalidClient {
            return
                "the issuer does not answer this client; correct introspection.clientId or introspection.clientSecret, "
                + "or allow it to ask about tokens"
        } catch {
            return LiveCheck.sentence(error) { code, status in
                "the issuer answers \(status) \(code) about a made-up token; is its introspection endpoint right?"
            }
        }
    }
}
