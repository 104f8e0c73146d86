internal import Basics
internal import HTTPCore
internal import JourneyClient
internal import OpenIDConnect
internal import Orchestrate
package import ProductKit
package import SettingsKit

extension JourneySettings {
    /// Reads the section of a client of journeys.
    package static func read(_ section: Section, _ terms: ReadingTerms) -> ReadProduct? {
        let serverURL = readServerURL(section, insecure: terms.insecureHTTP)
        let realm = section.required("realm", .realm)
        let journeys = readJourneys(section)
        // Stands in for an address that cannot be read, so that the other keys are read and their problems reported.
        guard let address = serverURL ?? WebURL("https://am.invalid/am") else { return nil }
        var journey = JourneySettings(serverURL: address, realm: realm ?? "", journeys: journeys)
        settings.read(section, into: &journey)
        journey.headers = readHeaders(section, journey.cookieName)
        let isRead = serverURL != nil && realm != nil
        let discovery = isRead ? readDiscovery(section, journey, terms) : nil
        let openID = section.section("oidc").readOpenID(
            discovery: discovery, insecure: terms.insecureHTTP, isAM: true)
        let cookieName = journey.cookieName?.lowercased()
        let allowed = section.readAllowance { StartOptions.isReserved($0) || $0.lowercased() == cookieName }
        let keepsSession = section.value("keepProviderSession", .flag) ?? false
        section.later(
            "prompts",
            "is for OpenID providers; a journey asks what its pages ask, and forceAuth of a start runs it anew")
        guard isRead, let openID else { return nil }
        return ReadProduct(journey, openID: openID, allowed: allowed, keepsSession: keepsSession)
    }

    private static func readServerURL(_ section: Section, insecure: Bool) -> WebURL? {
        let form = ValueForm(expected: "an address like https://tenant.example.com/am") { text in
            WebURL(text).flatMap { $0.query == nil ? $0 : nil }
        }
        guard let url = section.required("serverUrl", form) else { return nil }
        guard url.scheme == .https || url.isLoopback || insecure else {
            section.context.report(
                section.key("serverUrl"), "expected https, or insecureHttp: true for an unprotected network")
            return nil
        }
        return url
    }

    /// The address of the realm's discovery document; a client is built once, so that its problems are reported.
    private static func readDiscovery(
        _ section: Section, _ journey: JourneySettings, _ terms: ReadingTerms
    ) -> WebURL? {
        do {
            _ = try Journey.createJourney { config in
                config.serverUrl = journey.serverURL.text
                config.realm = journey.realm
                config.cookie = journey.cookieName
                config.publicUrl = terms.publicURL?.text
                config.insecureHTTP = terms.insecureHTTP
                config.transport = NoTransport()
            }
        } catch {
            switch error {
            case .realm: section.context.report(section.key("realm"), "expected the name of a realm")
            case .cookieName:
                section.context.report(section.key("cookieName"), "expected a name that no header field has")
            default: section.context.report(section.path, line: section.line, "no client can be made of this")
            }
            return nil
        }
        return Journey.discoveryAddress(serverURL: journey.serverURL, realm: journey.realm)
    }

    private static func readJourneys(_ section: Section) -> [String] {
        let name = ValueForm.text("the name of a journey", bytes: 1...256)
        let journeys = section.list("journeys", name) ?? []
        if journeys.isEmpty, !section.context.isReported(section.key("journeys")) {
            let key = section.key("journeys")
            if section.contains("journeys") {
                section.context.report(key, "expected the name of a journey")
            } else {
                section.context.report(
                    key, line: section.line, "is missing; expected the names of journeys, the default first")
            }
        }
        return journeys
    }

    /// Header fields that are sent with the calls of journeys; fields that the client writes itself are reported.
    private static func readHeaders(_ section: Section, _ cookieName: String?) -> [HTTPField] {
        section.pairs("headers", .text("a value of one line", bytes: 1...4096)).compactMap { name, value in
            let key = section.key("headers.\(name)")
            guard let own = try? HTTPField.Name(checking: name), name.utf8.count <= 64 else {
                section.context.report(key, "expected the name of a header field, like X-Tenant")
                return nil
            }
            let sessions = [cookieName?.lowercased(), "iplanetdirectorypro"]
            guard !Journey.isOwnField(name), !sessions.contains(name.lowercased()) else {
                let setting = ownSettings[name.lowercased()].map { "; see \($0)" } ?? ""
                section.context.report(key, "expected a field that the client does not write itself" + setting)
                return nil
            }
            guard let field = try? HTTPField(own, checking: value) else {
                section.context.report(key, "expected a value without control characters")
                return nil
            }
            return field
        }
    }

    /// The settings that set a field in place of `headers`.
    private static let ownSettings = [
        "accept-language": "languages", "x-forwarded-for": "forward.clientAddress", "user-agent": "forward.userAgent",
        "x-requested-with": "requestedWith",
    ]
}

/// A transport without a network: clients are built with it while settings are read.
private struct NoTransport: HTTPTransport {
    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        throw .notReached(.refusedLocally)
    }

    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        throw .notReached(.refusedLocally)
    }
}
