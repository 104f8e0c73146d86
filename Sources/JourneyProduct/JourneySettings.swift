package import BFF
internal import Basics
package import HTTPCore
package import JourneyClient
package import OpenIDConnect
package import Orchestrate
package import ProductKit
package import ResourceServer
internal import SettingsKit

/// The settings of a client of journeys.
package struct JourneySettings: Sendable, Equatable {
    /// AM's address with its deployment path, `https://tenant.example.com/am`.
    package var serverURL: WebURL
    /// The realm of AM, `alpha` or `/customers/uk`.
    package var realm: String
    /// The journeys that a start may name; the first is the default.
    package var journeys: [String]
    /// The name of AM's session cookie; nil to read it from serverinfo.
    package var cookieName: String?
    /// Cookies of load balancers that are kept with the session, besides `amlbcookie`.
    package var balancerCookies: [String] = []
    /// The way in which a session to be upgraded is sent to AM.
    package var sessionUpgrade: SessionUpgrade
    /// The facts about the browser that AM gets besides its languages and the origin of its page; nothing by default.
    package var forward = BrowserForwarding()
    /// The SDK of Ping that the calls of journeys name.
    package var requestedWith = RequestedWith.pingSDK
    /// The platform that the calls name; nil for that of the SDK.
    package var platform: String?
    /// The members of a failure's `detail` that browsers get.
    package var exposed: [String] = []
    /// Lets a start run a backchannel transaction.
    package var transactions = false
    /// The languages that are requested; the browser's unless set.
    package var languages = LanguagePreference()
    /// Header fields that are sent with the calls of journeys.
    package var headers: [HTTPField] = []

    /// Makes the settings of the journeys of a realm.
    package init(
        serverURL: WebURL, realm: String, sessionUpgrade: SessionUpgrade = .header, journeys: [String]
    ) {
        self.serverURL = serverURL
        self.realm = realm
        self.sessionUpgrade = sessionUpgrade
        self.journeys = journeys
    }

    /// The keys in the file, besides those that are required and those that depend on others.
    static let settings: [Setting<Self>] = [
        .init("cookieName", \.cookieName, .cookieName),
        .init("balancerCookies", list: \.balancerCookies, .cookieName),
        .init("sessionUpgrade", \.sessionUpgrade, .choice(["header": .header, "parameter": .parameter])),
        .init(
            "forward", section: \.forward, of: BrowserForwarding(),
            [.init("clientAddress", \.clientAddress, .anyCase), .init("userAgent", \.userAgent, .anyCase)]),
        .init("requestedWith", \.requestedWith, .anyCase),
        .init("platform", \.platform, .platform),
        .init("expose", list: \.exposed, .exposedMember),
        .init("transactions", \.transactions, .flag),
        .languages(\.languages),
    ]
}

extension JourneySettings: ProductSettings {
    package static var name: ProductName { .journey }
    package static var clientWords: String { "a journey" }
    package static var flowWords: String { "journeys" }
    package static var keys: [String] {
        ["serverUrl", "realm", "journeys", "headers", "keepProviderSession"] + settings.map(\.key)
    }
    package static var startMembers: StartMemberNames { JourneyStart.members }
    package static var providerKeys: String { "serverUrl or realm" }
    package static var discoveryKeys: String { "serverUrl, realm or oidc.discovery" }
    package static var triesAuthorization: Bool { true }
    package static var levelNote: String? { nil }
    /// AM tries each class in turn.
    package var asksForEachClass: Bool { true }

    package var facts: [String] {
        [serverURL.text, realm, "\(journeys)", "\(headers.map { [$0.name.canonicalName, $0.value] })"]
            + Self.settings.facts(of: self)
    }

    package func provider(of openID: OpenIDClientSettings) -> String {
        Journey.discoveryAddress(serverURL: serverURL, realm: realm)?.text ?? "\(serverURL.text) \(realm)"
    }

    package static func challenge(at location: String) -> ReceivedChallenge? { ReceivedChallenge(location: location) }

    /// The sessions that AM has shown to be alive.
    package static func makeMemory() -> any Sendable { SessionsMemory() }

    /// Builds a client of journeys.
    package func makeClient(_ parts: ClientParts) throws(ClientBuildError) -> any FlowClient {
        let journey: Journey
        do {
            journey = try Journey.createJourney { config in
                configure(&config, of: parts.client, parts.pages)
                parts.complete(&config)
                if let memory = parts.memory as? SessionsMemory { config.sessionsMemory = memory }
            }
        } catch {
            throw ClientBuildError("\(error)")
        }
        return JourneySignIn(
            journey, parts.openID, journeys: journeys, takesTransactions: transactions, exposed: exposed,
            credentials: parts.credentials, logger: parts.ownLogger)
    }
}

extension ValueForm where Value == String {
    /// A realm, or a path of realms; blanks at the ends of a name are refused as a mistake, because AM would answer
    /// that there is no such realm.
    static var realm: Self {
        ValueForm(expected: "the name of a realm") { text in
            let hasBlanks = text.split(separator: "/").contains {
                $0.first?.isWhitespace == true || $0.last?.isWhitespace == true
            }
            // rule: a realm has no blanks at its ends
            guard !hasBlanks else { return nil }
            return Self.text("", bytes: 1...256).parse(text)
        }
    }

    /// A member of a failure's `detail`; `failureUrl` is refused, because browsers must not get the address of AM's own
    /// page.
    static var exposedMember: Self {
        ValueForm(expected: "the name of a member of detail other than failureUrl") { text in
            text == "failureUrl" ? nil : Self.text("", bytes: 1...128).parse(text)
        }
    }
}
