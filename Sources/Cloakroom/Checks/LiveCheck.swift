internal import Basics
internal import Discovery
internal import EventLoop
internal import Glibc
internal import HTTPClient
internal import HTTPCore
internal import JOSE
internal import JSON
internal import JourneyClient
public import Logs
internal import OpenIDConnect
internal import StorageKit
internal import StorageSQLite

/// What one try at something that the settings name came to.
public struct LiveFinding: Sendable, Equatable {
    /// What was tried: `clients.standard: discovery`.
    public let subject: String
    /// Why it failed, nil when it did not.
    public let failure: String?
    /// What works and still ought to be known; nil when there is nothing.
    public var warning: String?
}

/// Tries what the settings name, without a user: the store, and of each client discovery, keys, revocation and the cookie's
/// name.
///
/// - Parameters:
///   - settings: What to try.
///   - logger: Where failures of the store are logged.
/// - Returns: The findings in the order of the settings; nothing is changed by trying, and no file is made.
/// - Throws: `.system` when nothing can be tried at all.
public func checkLive(_ settings: Settings, logger: Logger = .silent) async throws(ServerError) -> [LiveFinding] {
    let events: EventThread
    let transport: CurlTransport
    do {
        events = try EventThread(name: "check")
        transport = try CurlTransport(settings.outbound, thread: events, logger: logger)
    } catch {
        throw .system(cause: "\(error)")
    }
    var findings = [await LiveCheck.store(settings.store, logger)]
    for client in settings.clients {
        findings += await LiveCheck(client, transport, logger).findings()
    }
    await transport.shutdown()
    await events.stop()
    return findings
}

/// The tries of one client.
struct LiveCheck {
    private let client: ClientSettings
    private let transport: any HTTPTransport
    private let directory: ProviderDirectory

    init(_ client: ClientSettings, _ transport: any HTTPTransport, _ logger: Logger) {
        self.client = client
        self.transport = transport
        directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
    }

    private var deadline: ContinuousClock.Instant { .now + min(client.timeout, .seconds(15)) }

    func findings() async -> [LiveFinding] {
        var findings: [LiveFinding] = []
        do {
            let metadata = try await directory.metadata(client.openID.location, deadline: deadline)
            findings.append(finding("discovery", nil))
            findings.append(finding("keys", await keys(metadata)))
            findings += await endpoints()
        } catch {
            findings.append(finding("discovery", Self.sentence(error)))
        }
        findings.append(finding("session cookie", await cookie()))
        return findings
    }

    private func finding(_ what: String, _ failure: String?) -> LiveFinding {
        LiveFinding(subject: "clients.\(client.name): \(what)", failure: failure)
    }

    private func endpoints() async -> [LiveFinding] {
        let openID = OpenIDClient(client.openID, directory: directory, transport: transport)
        let check = EndpointCheck(client: openID, deadline: deadline)
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

    private func keys(_ metadata: ProviderMetadata) async -> String? {
        do {
            let keys = try await directory.keys(for: metadata, deadline: deadline)
            return keys.keys.isEmpty ? "the provider publishes no key that can be used" : nil
        } catch {
            return Self.sentence(error)
        }
    }

    /// What AM says its session cookie is called must be what the settings say.
    private func cookie() async -> String? {
        let journey: Journey
        do {
            journey = try Journey.createJourney { config in
                config.serverUrl = client.serverURL.text
                config.realm = client.realm
                config.cookie = client.cookieName
                config.insecureHTTP = client.insecureHTTP
                config.transport = transport
            }
        } catch {
            return "no client can be made of the settings"
        }
        let request = ClientRequest(
            .get, journey.serverInfoAddress,
            fields: [.accept: "application/json", .acceptAPIVersion: "resource=1.1, protocol=1.0"])
        let response: ClientResponse
        do throws(TransportError) { response = try await transport.send(request, deadline: deadline) } catch {
            return Self.sentence(error)
        }
        guard response.status == 200 else { return "serverinfo answers with status \(response.status)" }
        guard let name = (try? JSONValue(parsing: response.body))?["cookieName"]?.string else {
            return "serverinfo names no cookie; is serverUrl the address of AM with its deployment path?"
        }
        guard let expected = client.cookieName, expected != name else { return nil }
        return "AM's session cookie has another name than cookieName"
    }

    static func store(_ store: StoreSettings, _ logger: Logger) async -> LiveFinding {
        let subject = "session.store"
        guard case .sqlite(let path) = store else { return LiveFinding(subject: subject, failure: nil) }
        guard access(path, F_OK) == 0 else {
            // Opening would make the file, as whoever checks and not as whoever serves.
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            let isWritable = access(directory, W_OK | X_OK) == 0
            return LiveFinding(
                subject: subject, failure: isWritable ? nil : "the directory of the file does not exist or is read-only"
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

    private static func sentence(_ error: DiscoveryError) -> String {
        switch error {
        case .unavailable(let fault): "the provider cannot be reached (\(fault.rawValue))"
        case .busy: "the provider is too busy"
        case .unexpectedStatus(let status): "the provider answers with status \(status)"
        case .malformed(let member): "the document is malformed" + (member.map { " at \($0)" } ?? "")
        case .missing(let member): "the document lacks \(member)"
        case .issuerMismatch(let found, let expected):
            "the document names the issuer \(found), expected \(expected); if that is right, set oidc.issuer: \(found)"
        case .addressRefused(let member):
            "the address under \(member) is on another origin; list it in oidc.endpointOrigins if that is right"
        case .cancelled: "interrupted"
        }
    }

    private static func sentence(_ error: TransportError) -> String {
        switch error {
        case .notReached(let fault), .noUsableAnswer(let fault): "the provider cannot be reached (\(fault.rawValue))"
        case .cancelled: "interrupted"
        }
    }
}
