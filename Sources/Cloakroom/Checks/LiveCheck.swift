internal import BFFAPI
internal import Basics
internal import DaVinciClient
internal import Discovery
internal import EventLoop
internal import Glibc
internal import HTTPClient
internal import HTTPCore
internal import JOSE
public import Logs
internal import OpenIDConnect
internal import StorageKit
internal import StorageSQLite

/// Tries what the settings name, without a user: the store; of each client discovery, keys, cookie, journeys, credentials,
/// redirect URI, scopes and revocation; of each issuer discovery, keys and introspection; whether each API is there.
///
/// A journey is begun and left at its first page. Nobody is signed in, and codes and tokens are made up.
///
/// - Parameters:
///   - settings: What to try.
///   - logger: Where failures of the store are logged.
/// - Returns: The findings in the order of the settings; nothing is changed by trying, and no file is made.
/// - Throws: `.system` when nothing can be tried at all.
public func checkLive(_ settings: Settings, logger: Logger = .silent) async throws(ServerError) -> [LiveFinding] {
    let events: EventThread
    let curl: CurlTransport
    do {
        events = try EventThread(name: "check")
        curl = try CurlTransport(settings.outbound, thread: events, logger: logger)
    } catch {
        throw .system(cause: "\(error)")
    }
    let transport = TracedCalls(curl)
    var findings = [await LiveCheck.store(settings.store, logger)]
    for client in settings.clients {
        findings += await LiveCheck(client, settings.api, transport, logger).findings()
    }
    let directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
    for (place, issuer) in settings.issuers.enumerated() {
        findings += await IssuerCheck(place: place, issuer: issuer, transport: transport, directory: directory)
            .findings()
    }
    for (place, route) in settings.routes.enumerated() {
        findings.append(await UpstreamCheck.finding(place, route, transport))
    }
    await curl.shutdown()
    await events.stop()
    return findings
}

/// The tries of one client.
struct LiveCheck {
    let client: ClientSettings
    let api: APISettings
    let transport: any HTTPTransport
    let directory: ProviderDirectory
    let registration: OpenIDClient

    init(_ client: ClientSettings, _ api: APISettings, _ transport: any HTTPTransport, _ logger: Logger) {
        self.client = client
        self.api = api
        var transport = transport
        if case .davinci(let settings) = client.product {
            transport = PingHeaders(transport, platform: settings.platform)
        }
        self.transport = transport
        directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
        registration = OpenIDClient(client.openID, directory: directory, transport: transport, logger: logger)
    }

    var deadline: ContinuousClock.Instant { .now + min(client.timeout, .seconds(15)) }

    /// Whether a provider publishes keys; `section` is where its settings stand.
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

    static func store(_ store: StoreSettings, _ logger: Logger) async -> LiveFinding {
        let subject = "session.store"
        guard case .sqlite(let path) = store else { return LiveFinding(subject: subject, failure: nil) }
        guard access(path, F_OK) == 0 else {
            // Opening would make the file, as whoever checks and not as whoever serves.
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            let isWritable = access(directory, W_OK | X_OK) == 0
            return LiveFinding(
                subject: subject,
                failure: isWritable ? nil : "the directory \(directory) does not exist or is read-only"
            )
        }
        do {
            let opened = try SQLiteStore(path: path, time: SystemTime(), logger: logger)
            let works = (try? await opened.ping()) != nil
            await opened.close()
            return LiveFinding(subject: subject, failure: works ? nil : "the file does not answer")
        } catch {
            switch error {
            case .unusable(let why): return LiveFinding(subject: subject, failure: "the file cannot be used: \(why)")
            case .unknownSchema:
                return LiveFinding(subject: subject, failure: "the file belongs to another program or a newer version")
            }
        }
    }
}
