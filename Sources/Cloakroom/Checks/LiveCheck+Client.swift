internal import BFF
internal import Basics
internal import Discovery
internal import HTTPCore
internal import JSON
internal import JourneyClient
internal import OpenIDConnect
internal import Orchestrate
internal import StorageKit

/// The checks of the conditions for a sign-in at one client.
extension LiveCheck {
    /// Runs all checks, in the order in which a sign-in needs them.
    ///
    /// Discovery and keys, the name of the cookie, each journey, the client at the token endpoint, redirect URI and
    /// scopes at the authorization endpoint, revocation and introspection. A check that depends on a failed one is
    /// reported as not tried.
    func findings() async -> [LiveFinding] {
        var findings: [LiveFinding] = []
        let metadata: ProviderMetadata?
        do {
            metadata = try await directory.metadata(client.openID.location, deadline: deadline)
            findings.append(finding("discovery", nil))
        } catch {
            metadata = nil
            // No other setting of a DaVinci client says where its provider is.
            let correct = client.product.isJourney ? "serverUrl, realm or oidc.discovery" : "oidc.discovery"
            findings.append(
                finding("discovery", Self.sentence(error, at: client.openID.location.discovery, correct: correct)))
        }
        if let metadata { findings.append(finding("keys", await keys(metadata))) }
        switch client.product {
        case .journey(let settings): findings += await journeys(settings)
        case .davinci(let settings) where metadata != nil: findings.append(finding("flow", await flow(settings)))
        case .davinci: findings.append(notTried("flow"))
        }
        if metadata != nil {
            findings.append(finding("client", await credentials()))
            if client.product.isJourney {
                findings.append(finding("redirect URI and scopes", await authorization()))
            }
            findings += await endpoints()
        } else {
            let authorization = client.product.isJourney ? ", redirect URI and scopes" : ""
            findings.append(notTried("keys, client\(authorization), revocation"))
        }
        return findings
    }

    /// Checks the name of AM's cookie, and each journey.
    private func journeys(_ settings: JourneySettings) async -> [LiveFinding] {
        let cookie = await cookie(settings)
        var findings = [finding("session cookie", cookie.failure)]
        guard let journey = cookie.journey else { return findings + [notTried("journeys")] }
        for name in settings.journeys {
            findings.append(finding("journey \(name)", await start(name, journey)))
        }
        return findings
    }

    private func finding(_ what: String, _ failure: String?) -> LiveFinding {
        LiveFinding(subject: "clients.\(client.name): \(what)", failure: failure)
    }

    /// The finding of a check that depends on a failed one.
    private func notTried(_ what: String) -> LiveFinding {
        LiveFinding(subject: "clients.\(client.name): \(what)", failure: nil, warning: "not tried")
    }

    private func keys(_ metadata: ProviderMetadata) async -> String? {
        // The ID token may be protected with the client secret alone, and then there may be no keys.
        if client.openID.algorithms.isEmpty { return nil }
        return await Self.keys(metadata, directory, deadline)
    }

    /// Compares the name of AM's session cookie with the settings; the journey is nil when AM does not answer.
    private func cookie(_ settings: JourneySettings) async -> (failure: String?, journey: Journey?) {
        let journey: Journey
        do {
            journey = try Journey.createJourney { config in
                settings.configure(&config, of: client, api)
                config.transport = transport
            }
        } catch {
            return ("no client can be made of the settings", nil)
        }
        let request = ClientRequest(
            .get, journey.serverInfoAddress,
            fields: [.accept: "application/json", .acceptAPIVersion: "resource=1.1, protocol=1.0"])
        let response: ClientResponse
        do throws(TransportError) { response = try await transport.send(request, deadline: deadline) } catch {
            return (Self.sentence(error, at: journey.serverInfoAddress), nil)
        }
        guard response.status == 200 else {
            return (
                "serverinfo answers with status \(response.status); correct serverUrl (with the deployment path) or realm",
                nil
            )
        }
        guard let name = (try? JSONValue(parsing: response.body))?["cookieName"]?.string else {
            return ("serverinfo names no cookie; is serverUrl the address of AM with its deployment path?", nil)
        }
        guard let expected = settings.cookieName, expected != name else { return (nil, journey) }
        return ("AM's session cookie has another name than cookieName; leave cookieName out, or correct it", journey)
    }

    /// Begins a journey and abandons it at its first page; AM forgets it in minutes, and no session is made.
    private func start(_ name: String, _ journey: Journey) async -> String? {
        var storages = CallerStorages()
        storages[.session] = MemoryStorage<SSOSession>()
        let caller = Caller(deadline: deadline, storages: storages)
        let step: FlowStep
        do {
            step = try await journey.bound(to: caller).start(name, StartOptions(noSession: true))
        } catch {
            return "interrupted"
        }
        switch step.node {
        case .continue, .success: return nil
        case .error(let refusal) where refusal.status == 401 || refusal.status == 403:
            // The journey exists: it refuses a user who has done nothing yet, as a journey does that begins with a
            // condition.
            return nil
        case .error(let refusal):
            let said = refusal.message.isEmpty ? "status \(refusal.status)" : Self.printable(refusal.message)
            return
                "AM does not begin it (\(said)); correct journeys, or make a journey or chain of this name in the realm"
        case .failure: return "AM does not begin it; correct serverUrl or realm, or see AM's own log"
        }
    }

    private func credentials() async -> String? {
        do {
            try await registration.tryCredentials(deadline: deadline)
            return nil
        } catch .invalidClient {
            return Self.unknownClient(client.openID)
        } catch {
            return Self.sentence(error) { code, status in
                Self.isAboutRedirect(code)
                    ? redirectAdvice
                    : "the token endpoint answers \(status) \(code) to a made-up code instead of invalid_grant; "
                        + "allow the grant types authorization_code and refresh_token to the client"
            }
        }
    }

    private func authorization() async -> String? {
        do {
            try await Journey.tryAuthorization(of: registration, deadline: deadline)
            return nil
        } catch {
            return Self.sentence(error) { code, status in
                if code == "invalid_scope" {
                    return "the provider refuses the scopes; allow them to the client, or correct oidc.scopes"
                }
                if code == "unauthorized_client" || code == "unsupported_response_type" {
                    return "the provider answers \(code); allow the response type code to the client"
                }
                if Self.isAboutRedirect(code) { return redirectAdvice }
                let said = code.isEmpty ? "status \(status)" : "\(status) \(code)"
                return
                    "the provider refuses the request (\(said)); register and activate the client; \(redirectAdvice)"
            }
        }
    }

    /// Tries the endpoints that a discovery document may omit, with the client's credentials.
    private func endpoints() async -> [LiveFinding] {
        let check = EndpointCheck(client: registration, deadline: deadline)
        let outcomes = [("revocation", await check.revocation()), ("introspection", await check.introspection())]
        return outcomes.compactMap { what, outcome in
            switch outcome {
            case nil: nil
            case .fine: finding(what, nil)
            case .warning(let text):
                LiveFinding(subject: "clients.\(client.name): \(what)", failure: nil, warning: text)
            case .failure(let text): finding(what, text)
            }
        }
    }

    private static func isAboutRedirect(_ code: String) -> Bool {
        code == "redirect_uri_mismatch" || code == "invalid_redirect_uri"
    }

    /// Says which redirect URI to register; the URI is not secret here, because the person who runs the check has the
    /// file.
    private var redirectAdvice: String {
        "register the redirect URI \(client.openID.redirectURI) letter for letter, or correct oidc.redirectUri"
    }

    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
