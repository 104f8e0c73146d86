internal import BFFAPI
internal import Basics
internal import Discovery
internal import EventLoop
internal import HTTPClient
internal import HTTPCore
internal import JOSE
public import Logs
internal import OpenIDConnect

/// Checks the settings against the real servers, without a user: the store; of each client discovery, keys, cookie,
/// journeys, credentials, redirect URI, scopes, revocation and introspection; of each issuer discovery, keys and
/// introspection; and that each API is reachable.
///
/// A journey is begun and abandoned at its first page. No user is signed in; codes and tokens are made up.
///
/// - Parameters:
///   - settings: The settings to check.
///   - logger: Gets failures of the store.
/// - Returns: The findings in the order of the settings; the check changes nothing and creates no file.
/// - Throws: `.system` when no check can be run.
public func checkLive(_ settings: Settings, logger: Logger = .silent) async throws(ServerError) -> [LiveFinding] {
    let events: EventThread
    let curl: CurlTransport
    do {
        events = try EventThread(name: "check")
        curl = try CurlTransport(settings.outbound, thread: events, logger: logger)
    } catch {
        throw .system(cause: "\(error)")
    }
    // The findings report the result of each call, so the calls write no log lines.
    let outbound = OutboundChain(curl, time: SystemTime(), logger: .silent)
    var findings = [LiveFinding(subject: "session.store", failure: await settings.store.trial(logger))]
    for client in settings.clients {
        findings += await LiveCheck(client, settings.api, outbound, logger).findings()
    }
    let directory = ProviderDirectory(transport: outbound.toDocuments(), time: SystemTime(), logger: logger)
    for (place, issuer) in settings.issuers.enumerated() {
        findings += await IssuerCheck(
            place: place, issuer: issuer, transport: outbound.toIntrospection, directory: directory
        ).findings()
    }
    for (place, route) in settings.routes.enumerated() {
        findings.append(await UpstreamCheck.finding(place, route, outbound.toAPIs))
    }
    await curl.shutdown()
    await events.stop()
    return findings
}

/// The checks of one client.
final class LiveCheck {
    let client: ClientSettings
    let api: APISettings
    let transport: any HTTPTransport
    let directory: ProviderDirectory
    let registration: OpenIDClient

    init(_ client: ClientSettings, _ api: APISettings, _ outbound: OutboundChain, _ logger: Logger) {
        self.client = client
        self.api = api
        transport = outbound.toProvider(client.product.layers())
        directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
        registration = OpenIDClient(client.openID, directory: directory, transport: transport, logger: logger)
    }

    var deadline: ContinuousClock.Instant { .now + min(client.timeout, .seconds(15)) }

    /// The fault of a provider's published keys, nil when there is none; `section` holds the provider's settings.
    static func keys(
        _ metadata: ProviderMetadata, _ directory: ProviderDirectory, _ deadline: ContinuousClock.Instant,
        section: String = "oidc"
    ) async -> String? {
        do {
            let keys = try await directory.keys(for: metadata, deadline: deadline)
            return keys.keys.isEmpty ? "the provider publishes no key that can be used" : nil
        } catch {
            return sentence(error, at: metadata.keySetAddress, correct: "jwks_uri at the provider", section: section)
        }
    }
}
