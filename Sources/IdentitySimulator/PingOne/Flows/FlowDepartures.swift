internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Redirects users to another provider and back.
///
/// Refuses by docs/davinci.md, 'Social sign-on'.
final class FlowDepartures: Sendable {
    /// A user's departure: the run, and the address to return to.
    struct Departure: Sendable {
        let run: String
        let application: String
    }

    /// A user's return from the other provider.
    struct Arrival: Sendable {
        let run: String
        let user: String
    }

    private let social: SocialProvider
    private let journal: Journal
    /// The origin of the application, in front of `/bff/{client}/return`.
    let application = Locked("https://app.example.com")
    private let departures = Locked(BoundedTable<Departure>(capacity: 1000))
    private let arrivals = Locked(BoundedTable<Arrival>(capacity: 1000))

    init(_ social: SocialProvider, _ journal: Journal) {
        self.social = social
        self.journal = journal
    }

    /// A link to another provider, which only a browser may open.
    func link(_ run: FlowRun, _ services: FlowServices) -> String {
        let id = Identifier.random(24)
        let returnURL =
            services.settings.redirectURIs.first
            ?? application.withLock { $0 } + "/bff/\(run.request.application.client.id)/return"
        departures.withLock { $0[id] = Departure(run: run.cookie, application: returnURL) }
        var query = QueryParameters()
        query.append("interactionId", Identifier.tracking())
        query.append("interactionToken", id)
        query.append("identityProviderId", PingOneID.uuid("provider"))
        query.append("populationId", PingOneID.uuid("population"))
        query.append("createP1User", "true")
        query.append("returnUrl", returnURL)
        let connection = PingOneID.hex("connection pingOneAuthenticationConnector")
        return services.address("davinci/connections/\(connection)/capabilities/loginFirstFactor?\(query.encoded)")
    }

    /// `loginFirstFactor`: redirects the browser to the other provider.
    func leave(_ call: SimulatedCall) -> ServerResponse {
        guard let id = call.query.single("interactionToken"), departures.withLock({ $0[id] }) != nil else {
            return .html(400, "The link is not good any more")
        }
        // A server must not open the link itself.
        if call.headers.first("x-requested-with") != nil {
            journal.refuse(.identityProviderLink)
            return .html(400, "Only a browser may open this")
        }
        var query = QueryParameters()
        query.append("client_id", SocialProvider.client)
        query.append("response_type", "code")
        query.append("redirect_uri", callback(call))
        query.append("state", id)
        return .redirect("\(call.base)/social/authorize?\(query.encoded)")
    }

    private func callback(_ call: SimulatedCall) -> String {
        "\(call.base)/\(call.segments.first ?? "")/davinci/social/return"
    }

    /// The callback of the other provider, which redirects to the application.
    func comeBack(_ call: SimulatedCall) -> ServerResponse {
        guard let id = call.query.single("state"), let departure = departures.withLock({ $0[id] }) else {
            return .html(400, "Unknown state")
        }
        let code = call.query.single("code")
        var answer = QueryParameters()
        if let code {
            guard let user = social.redeem(code, callback(call), now: call.now) else { return .html(400, "Bad code") }
            let token = Identifier.random(48)
            arrivals.withLock { $0[token] = Arrival(run: departure.run, user: user) }
            answer.append("continueToken", token)
        } else {
            answer.append("error", call.query.single("error") ?? "server_error")
            answer.append("error_description", "The user did not sign in at the other provider")
        }
        return .redirect(departure.application + "?" + answer.encoded)
    }

    /// Consumes a user's return to a run; nil if the token is unknown or another run's.
    func take(_ token: String, of run: String) -> Arrival? {
        arrivals.withLock { arrivals in
            guard let found = arrivals[token], found.run == run else { return nil }
            return arrivals.remove(token)
        }
    }
}
