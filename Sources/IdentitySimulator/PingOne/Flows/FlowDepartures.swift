internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Users on their way to another provider and back.
///
/// Refuses by docs/davinci.md, 'Social sign-on'.
final class FlowDepartures: Sendable {
    /// Who left, from which run and to where the way leads back.
    struct Departure: Sendable {
        let run: String
        let application: String
    }

    /// Who came back.
    struct Arrival: Sendable {
        let run: String
        let user: String
    }

    private let social: SocialProvider
    private let journal: Journal
    /// The address of the application, in front of `/bff/{client}/return`.
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

    /// `loginFirstFactor`: leads the browser to the other provider.
    func leave(_ call: SimulatedCall) -> ServerResponse {
        guard let id = call.query.single("interactionToken"), departures.withLock({ $0[id] }) != nil else {
            return .html(400, "The link is not good any more")
        }
        // A server that opens the link has misunderstood it.
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

    /// What the other provider sends back, which goes on to the application.
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

    /// Takes who came back to a run, once.
    func take(_ token: String, of run: String) -> Arrival? {
        arrivals.withLock { arrivals in
            guard let found = arrivals[token], found.run == run else { return nil }
            return arrivals.remove(token)
        }
    }
}
