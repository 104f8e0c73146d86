internal import Basics
package import Discovery
internal import HTTPCore
internal import JSON
internal import JourneyClient
internal import OpenIDConnect
internal import Orchestrate
package import ProductKit
internal import StorageKit

extension JourneySettings {
    /// Checks the name of AM's cookie, and each journey.
    package func findings(_ check: LiveCheck, _ metadata: ProviderMetadata?) async -> [LiveFinding] {
        let cookie = await cookie(check)
        var findings = [check.finding("session cookie", cookie.failure)]
        guard let journey = cookie.journey else { return findings + [check.notTried("journeys")] }
        for name in journeys {
            findings.append(check.finding("journey \(name)", await start(name, journey, check)))
        }
        return findings
    }

    /// Compares the name of AM's session cookie with the settings; the journey is nil when AM does not answer.
    private func cookie(_ check: LiveCheck) async -> (failure: String?, journey: Journey?) {
        let journey: Journey
        do {
            journey = try Journey.createJourney { config in
                configure(&config, of: check.client, check.pages)
                config.transport = check.transport
            }
        } catch {
            return ("no client can be made of the settings", nil)
        }
        let request = ClientRequest(
            .get, journey.serverInfoAddress,
            fields: [.accept: "application/json", .acceptAPIVersion: "resource=1.1, protocol=1.0"])
        let response: ClientResponse
        do throws(TransportError) { response = try await check.transport.send(request, deadline: check.deadline) } catch
        {
            return (LiveCheck.sentence(error, at: journey.serverInfoAddress), nil)
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
        guard let expected = cookieName, expected != name else { return (nil, journey) }
        return ("AM's session cookie has another name than cookieName; leave cookieName out, or correct it", journey)
    }

    /// Begins a journey and abandons it at its first page; AM forgets it in minutes, and no session is made.
    private func start(_ name: String, _ journey: Journey, _ check: LiveCheck) async -> String? {
        var storages = CallerStorages()
        storages[.session] = MemoryStorage<SSOSession>()
        let caller = Caller(deadline: check.deadline, storages: storages)
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
            let said = refusal.message.isEmpty ? "status \(refusal.status)" : LiveCheck.printable(refusal.message)
            return
                "AM does not begin it (\(said)); correct journeys, or make a journey or chain of this name in the realm"
        case .failure: return "AM does not begin it; correct serverUrl or realm, or see AM's own log"
        }
    }

    /// Tries redirect URI and scopes with a made-up session.
    package func tryAuthorization(_ check: LiveCheck) async -> LiveFinding? {
        check.finding("redirect URI and scopes", await authorization(check))
    }

    private func authorization(_ check: LiveCheck) async -> String? {
        do {
            try await Journey.tryAuthorization(of: check.registration, deadline: check.deadline)
            return nil
        } catch {
            return LiveCheck.sentence(error) { code, status in
                if code == "invalid_scope" {
                    return "the provider refuses the scopes; allow them to the client, or correct oidc.scopes"
                }
                if code == "unauthorized_client" || code == "unsupported_response_type" {
                    return "the provider answers \(code); allow the response type code to the client"
                }
                if LiveCheck.isAboutRedirect(code) { return check.redirectAdvice }
                let said = code.isEmpty ? "status \(status)" : "\(status) \(code)"
                return
                    "the provider refuses the request (\(said)); register and activate the client; \(check.redirectAdvice)"
            }
        }
    }
}
