internal import BFFAPI
internal import Basics
internal import Discovery
internal import EventLoop
internal import HTTPClient
internal import HTTPCore
internal import JOSE
public import Logs
internal import OpenIDConnect
public import ProductKit

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
        let transport = outbound.toProvider(client.product.layers(nil, SystemTime()))
        findings += await LiveCheck(client, settings.api.pages, transport, logger).findings()
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
