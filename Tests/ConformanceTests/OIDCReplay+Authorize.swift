import Basics
import HTTPClient
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

extension OIDCReplay {
    private static let endpoint = AuthorizationServer.base + "/authorize"
    /// Random in each request.
    private static let random: Set<String> = ["state", "nonce", "code_challenge"]

    /// Sends an authorize request, gives the fixture's answer and, for a code, exchanges it.
    mutating func authorize() async throws {
        let fixture = fixture
        let location = fixture.header("Location") ?? ""
        let redirectURI = sent.single("redirect_uri") ?? String(location.prefix { $0 != "?" && $0 != "#" })
        let issuerPath = parameter("iss", in: location).flatMap { Self.path(of: $0) } ?? AuthorizationServer.base
        let consents = grantsConsent
        let fixtureState = sent.single("state") ?? fixture.expect?["state"]?.string
        try await withClient(
            answering: Self.endpoint,
            redirectURI: redirectURI.isEmpty ? "https://app.example.com/callback" : redirectURI,
            issuerPath: issuerPath,
            { received, server in
                // The form of a consent comes after its page.
                if consents, received.method == "GET" {
                    server.note(received)
                    return Reply(200, [("Content-Type", "text/html")], #"<form><input name="csrf">"#)
                }
                if !consents { server.note(received) }
                var reply = Reply(fixture)
                reply.headers = reply.headers.map { name, value in
                    guard name.lowercased() == "location" else { return (name, value) }
                    return (name, Self.mapped(value, state: fixtureState, server))
                }
                return reply
            }
        ) { replay, setting in
            let session = replay.session
            let result = await attempt { () throws(OpenIDError) in try await setting.tokens(session: session) }
            let request = setting.provider.received.first {
                $0.path == Self.endpoint && (!consents || $0.method == "POST")
            }
            replay.comparison.request(request, fixture, mapped: Self.random)
            guard let expect = fixture.expect else { return }
            replay.comparison.known(expect, ["result", "error", "status", "check", "code", "state"])
            replay.outcome(result, expect)
            if expect["result"]?.string == "code", case .failure(let error) = result {
                replay.comparison.differs("result: \(error), expected a code")
            }
            if let code = expect["code"]?.string {
                let exchange = setting.provider.received.first { $0.path.hasSuffix("/access_token") }
                replay.comparison.equal("code", exchange?.form.single("code") ?? "", code)
            }
            if let state = expect["state"]?.string {
                replay.comparison.equal("state", replay.parameter("state", in: location) ?? "", state)
                replay.comparison.equal(
                    "sent state", request?.parameters.single("state") ?? "", setting.authorizationServer.lastState)
            }
        }
    }

    /// A session's token in the fixture's request.
    private var session: String {
        fixture.request?["headers"]?["iPlanetDirectoryPro"]?.string ?? "existing-token.*AAJTSQACMDE.*"
    }

    private func parameter(_ name: String, in location: String) -> String? {
        let tail = location.drop { $0 != "?" && $0 != "#" }.dropFirst()
        return QueryParameters(parsing: tail)?.single(name)
    }

    /// The path of an address.
    private static func path(of address: String) -> String? {
        WebURL(address)?.path
    }

    /// The fixture's redirect with our state in place of the one that its client sent, and our issuer.
    ///
    /// A state that is not the one sent stays what it is. Where the fixture's client sent none, ours is added.
    private static func mapped(_ location: String, state: String?, _ server: AuthorizationServer) -> String {
        guard let mark = location.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return location }
        let tail = location[location.index(after: mark)...]
        guard let pairs = QueryParameters(parsing: tail),
            pairs.pairs.contains(where: { ["code", "error"].contains($0.name) })
        else { return location }
        var mapped = QueryParameters()
        for pair in pairs.pairs {
            switch pair.name {
            case "state": mapped.append("state", pair.value == state ? server.lastState : pair.value)
            case "iss": mapped.append("iss", server.issuer)
            default: mapped.append(pair.name, pair.value)
            }
        }
        if state == nil, pairs.all("state").isEmpty { mapped.append("state", server.lastState) }
        return location[...mark] + mapped.encoded
    }
}

extension OIDCReplay.Setting {
    /// Tokens for a session of AM, without the user.
    func tokens(session: String) async throws(OpenIDError) -> TokenSet {
        var storages = CallerStorages()
        storages[.session] = MemoryStorage(SSOSession(value: Secret(session), created: Timestamp(seconds: 0)))
        storages[.tokens] = MemoryStorage<TokenSet>()
        do throws(JourneyTokenError) {
            guard let user = try await journey.bound(to: Caller(deadline: deadline, storages: storages)).user() else {
                throw JourneyTokenError.noSession
            }
            return try await user.token()
        } catch {
            switch error {
            case .provider(let cause): throw cause
            case .consentRequired: throw .consentRequired
            case .loginRequired, .tooWeak, .sessionEnded, .noSession, .store: throw .loginRequired
            }
        }
    }

    /// Tokens by an authorization that a browser takes to the provider and back at once.
    func tokens(_ options: AuthorizeOptions = AuthorizeOptions()) async throws(OpenIDError) -> TokenSet {
        var authorization = try await client.authorization(options, deadline: deadline)
        guard case .get(let address) = authorization.request,
            let response = try? await provider.client.send(ClientRequest(.get, address), deadline: deadline),
            let location = response.fields[.location],
            let parameters = QueryParameters(parsing: location.drop { $0 != "?" }.dropFirst())
        else { throw .noUsableAnswer }
        return try await authorization.finish(.query(parameters), by: client, deadline: deadline)
    }
}
