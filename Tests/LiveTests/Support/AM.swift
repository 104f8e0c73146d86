import Basics
import Cryptography
import HTTPCore
import JSON
import Testing

/// AM itself, asked past the server: what it says about sessions and tokens is what counts.
struct AM: Sendable {
    let settings: AMSettings

    static func of(_ settings: AMSettings) -> AM { AM(settings: settings) }

    // MARK: Addresses

    /// The part of a path that names a realm: `/realms/root/realms/alpha`.
    static func path(_ realm: String) -> String {
        let names = realm.split(separator: "/").filter { $0 != "root" }
        return "/realms/root" + names.map { "/realms/\($0)" }.joined()
    }

    /// The issuer as AM's own document names it.
    func issuer(_ realm: String) async throws -> String {
        try #require(try await discovery(realm)["issuer"]?.string)
    }

    func discovery(_ realm: String) async throws -> Wire.Answer {
        try await Wire.send(.get, oauth(realm) + "/.well-known/openid-configuration")
    }

    func oauth(_ realm: String) -> String {
        let path = Self.path(realm)
        return settings.address + "/oauth2" + (path == "/realms/root" ? "" : path)
    }

    func json(_ realm: String, _ path: String) -> String {
        settings.address + "/json" + Self.path(realm) + path
    }

    /// The name of the session cookie.
    func cookieName() async throws -> String {
        let info = try await Wire.send(
            .get, json("/", "/serverinfo/*"), headers: [("Accept-API-Version", "resource=1.1, protocol=1.0")])
        return try #require(info["cookieName"]?.string)
    }

    // MARK: Signing in by raw calls

    private static let authenticateVersion = [("Accept-API-Version", "resource=2.1, protocol=1.0")]

    /// Begins a journey: its first page.
    func start(realm: String = "/", journey: String? = nil) async throws -> Wire.Answer {
        let query = "?authIndexType=service&authIndexValue=" + PercentEncoding.encode(journey ?? settings.signIn)
        return try await Wire.send(
            .post, json(realm, "/authenticate") + query, .json([:]), headers: Self.authenticateVersion)
    }

    /// Sends a page back as it is given.
    func answer(_ page: JSONValue, realm: String = "/") async throws -> Wire.Answer {
        try await Wire.send(.post, json(realm, "/authenticate"), .json(page), headers: Self.authenticateVersion)
    }

    /// Sends a page back with answers in it.
    func answer(_ page: Wire.Answer, _ answers: PageAnswers, realm: String = "/") async throws -> Wire.Answer {
        try await answer(answers.written(into: page.json), realm: realm)
    }

    /// Runs a journey to its end; answers by type of callback.
    func signIn(
        _ user: String, realm: String = "/", journey: String? = nil, password: String? = nil, code: String? = nil
    ) async throws -> Wire.Answer {
        let answers = PageAnswers(user: user, password: password ?? settings.password, code: code)
        var step = try await start(realm: realm, journey: journey)
        for _ in 0..<5 where step["callbacks"] != nil {
            step = try await answer(step, answers, realm: realm)
        }
        return step
    }

    /// The value of a session that a user gets.
    func session(of user: String, realm: String = "/") async throws -> String {
        try #require(try await signIn(user, realm: realm)["tokenId"]?.string)
    }

    /// Tokens of a client for a session.
    func tokens(
        _ session: String, _ client: OAuthClient, realm: String = "/", more: [(String, String)] = []
    ) async throws -> Wire.Answer {
        let verifier = SecureRandom.token(32)
        var query = QueryParameters()
        for (name, value) in [
            ("client_id", client.id), ("response_type", "code"), ("scope", client.scopes.joined(separator: " ")),
            ("redirect_uri", client.redirectURI), ("state", "s"), ("nonce", "n"), ("code_challenge_method", "S256"),
            ("code_challenge", Base64URL.encode(Digest.hash(utf8: verifier))),
        ] + more {
            query.append(name, value)
        }
        let cookie = try await cookieName()
        let redirect = try await Wire.send(
            .get, oauth(realm) + "/authorize?" + query.encoded, headers: [("Cookie", "\(cookie)=\(session)")])
        let location = try #require(redirect.field(.location).flatMap { WebURL($0) }, "\(redirect.status)")
        let code = try #require(location.query.flatMap { QueryParameters(parsing: $0) }?.single("code"))
        return try await Wire.send(
            .post, oauth(realm) + "/access_token",
            .form([
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", verifier),
                ("redirect_uri", client.redirectURI),
            ]), basic: client)
    }

    /// A token of a client of its own.
    func machineToken(_ client: OAuthClient, realm: String = "/") async throws -> String {
        let answer = try await Wire.send(
            .post, oauth(realm) + "/access_token",
            .form([("grant_type", "client_credentials"), ("scope", client.scopes.joined(separator: " "))]),
            basic: client)
        return try #require(answer["access_token"]?.string, "\(answer.text)")
    }

    // MARK: What AM says

    /// Whether AM calls a token active, asked by the client that it belongs to.
    func isActive(_ token: String, of client: OAuthClient, realm: String = "/") async throws -> Bool {
        let place = oauth(realm) + "/introspect"
        let answer: Wire.Answer
        if client.authentication == "client_secret_post" {
            answer = try await Wire.send(
                .post, place, .form([("token", token), ("client_id", client.id), ("client_secret", client.secret)]))
        } else {
            answer = try await Wire.send(.post, place, .form([("token", token)]), basic: client)
        }
        try #require(answer.status == 200, "\(answer.text)")
        return answer["active"] == true
    }

    /// Whether AM calls a session valid.
    func isValid(_ session: String) async throws -> Bool {
        let answer = try await Wire.send(
            .post, settings.address + "/json/sessions/\(PercentEncoding.encode(session))?_action=validate", .json([:]),
            headers: [("Accept-API-Version", "resource=1.1, protocol=1.0")])
        return answer["valid"]?.bool == true
    }
}
