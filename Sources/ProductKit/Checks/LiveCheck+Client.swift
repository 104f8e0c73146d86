internal import Basics
internal import Discovery
internal import OpenIDConnect

/// The checks of the conditions for a sign-in at one client.
extension LiveCheck {
    /// Runs all checks, in the order in which a sign-in needs them.
    ///
    /// Discovery and keys, the conditions of the product, the client at the token endpoint, redirect URI and scopes at
    /// the authorization endpoint, revocation and introspection. A check that depends on a failed one is
    /// reported as not tried.
    package func findings() async -> [LiveFinding] {
        var findings: [LiveFinding] = []
        let metadata: ProviderMetadata?
        do {
            metadata = try await directory.metadata(client.openID.location, deadline: deadline)
            findings.append(finding("discovery", nil))
        } catch {
            metadata = nil
            let correct = type(of: client.product).discoveryKeys
            findings.append(
                finding("discovery", Self.sentence(error, at: client.openID.location.discovery, correct: correct)))
        }
        if let metadata { findings.append(finding("keys", await keys(metadata))) }
        findings += await client.product.findings(self, metadata)
        if metadata != nil {
            findings.append(finding("client", await credentials()))
            if let tried = await client.product.tryAuthorization(self) { findings.append(tried) }
            findings += await endpoints()
        } else {
            let authorization = type(of: client.product).triesAuthorization ? ", redirect URI and scopes" : ""
            findings.append(notTried("keys, client\(authorization), revocation"))
        }
        return findings
    }

    /// The finding of a check of the client; nil for no problem.
    package func finding(_ what: String, _ failure: String?) -> LiveFinding {
        LiveFinding(subject: "clients.\(client.name): \(what)", failure: failure)
    }

    /// The finding of a check that depends on a failed one.
    package func notTried(_ what: String) -> LiveFinding {
        LiveFinding(subject: "clients.\(client.name): \(what)", failure: nil, warning: "not tried")
    }

    private func keys(_ metadata: ProviderMetadata) async -> String? {
        // The ID token may be protected with the client secret alone, and then there may be no keys.
        if client.openID.algorithms.isEmpty { return nil }
        return await Self.keys(metadata, directory, deadline)
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

    /// True if an error code of the provider is about the redirect URI.
    package static func isAboutRedirect(_ code: String) -> Bool {
        code == "redirect_uri_mismatch" || code == "invalid_redirect_uri"
    }

    /// Says which redirect URI to register; the URI is not secret here, because the person who runs the check has the
    /// file.
    package var redirectAdvice: String {
        "register the redirect URI \(client.openID.redirectURI) letter for letter, or correct oidc.redirectUri"
    }

    /// At most 200 characters of a provider's text, without control characters.
    package static func printable(_ text: String) -> String {
        String(text.unicodeScalars.prefix(200).map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    }
}
