import Basics
import Cryptography
import HTTPCore
import JSON
import TestSupport
import Testing

extension AM {
    private static let version = "resource=1.0, protocol=1.0"

    /// Headers of a call as administrator.
    func power(_ version: String = AM.version) async throws -> [(String, String)] {
        let administrator = try #require(settings.administrator)
        let answer = try await Wire.send(
            .post, settings.address + "/json/authenticate", .json([:]),
            headers: [
                ("X-OpenAM-Username", administrator.name), ("X-OpenAM-Password", administrator.password),
                ("Accept-API-Version", "resource=2.0, protocol=1.0"),
            ])
        let session = try #require(answer["tokenId"]?.string, "\(answer.text)")
        return [(try await cookieName(), session), ("Accept-API-Version", version)]
    }

    // MARK: Users

    /// Makes a user that nobody else has; names may have blanks and letters beyond ASCII.
    func makeUser(_ prefix: String = "live-", realm: String = "/") async throws -> String {
        let name = prefix + SecureRandom.bytes(6).map { String($0, radix: 36) }.joined()
        let answer = try await Wire.send(
            .post, json(realm, "/users?_action=create"),
            .json([
                "username": .string(name), "userpassword": .string(settings.password), "sn": "Live", "cn": "Live Test",
                "mail": "live@example.test",
            ]), headers: try await power("resource=3.0, protocol=1.0"))
        #expect(answer.status == 201, "\(answer.text)")
        return name
    }

    /// How many sessions a user has.
    func sessions(of user: String, realm: String = "/") async throws -> Int {
        let name = realm.hasPrefix("/") ? realm : "/" + realm
        let filter = PercentEncoding.encode("username eq \"\(user)\" and realm eq \"\(name)\"")
        let answer = try await Wire.send(
            .get, settings.address + "/json/sessions?_queryFilter=\(filter)",
            headers: try await power("resource=2.0, protocol=1.0"))
        return try #require(answer["result"]?.array, "\(answer.text)").count
    }

    // MARK: Settings

    private func providerAddress(_ realm: String) -> String {
        json(realm, "/realm-config/services/oauth-oidc")
    }

    /// Runs a body while AM gives out access tokens that are JWTs, and turns that back.
    func withTokensAsJWT(realm: String = "/", _ body: () async throws -> Void) async throws {
        let before = try await Wire.send(.get, providerAddress(realm), headers: try await power())
        var changed = before.json.without("_rev")
        changed = changed.setting("coreOAuth2Config.statelessTokensEnabled", .bool(true))
        changed = changed.setting("advancedOAuth2Config.tokenSigningAlgorithm", "RS256")
        try await put(changed, realm)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try await put(before.json.without("_rev"), realm)
        try outcome.get()
    }

    private func put(_ value: JSONValue, _ realm: String) async throws {
        let answer = try await Wire.send(.put, providerAddress(realm), .json(value), headers: try await power())
        #expect(answer.status == 200, "\(answer.text.prefix(200))")
    }

    /// Runs a body while a client has another secret at AM, and gives it back its own.
    func withSecret(_ secret: String, of client: OAuthClient, _ body: (OAuthClient) async throws -> Void) async throws {
        let place = json("/", "/realm-config/agents/OAuth2Client/\(client.id)")
        // What comes has no secret in it.
        let before = try await Wire.send(.get, place, headers: try await power()).json.without("_rev")
        func set(_ secret: String) async throws {
            let changed = before.setting("userpassword", .string(secret))
            let answer = try await Wire.send(.put, place, .json(changed), headers: try await power())
            #expect(answer.status == 200, "\(answer.text.prefix(200))")
        }
        var renewed = client
        renewed.secret = secret
        LiveSecrets.add(secret)
        try await set(secret)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(renewed)) } catch { outcome = .failure(error) }
        try await set(client.secret)
        try outcome.get()
    }

    // MARK: Policies

    /// What AM's policy endpoint decides, as a gateway asks; `level` is what that vouches for, nil for the session's.
    func decision(session: String, level: Int?) async throws -> Wire.Answer {
        let policy = try #require(settings.policy)
        var question: JSONValue = [
            "resources": [.string(policy.resource)], "application": .string(policy.application),
            "subject": ["ssoToken": .string(session)],
        ]
        if let level {
            question = question.setting("environment", ["requestAuthLevel": [.string(String(level))]])
        }
        return try await Wire.send(
            .post, json("/", "/policies?_action=evaluate"), .json(question), headers: try await power())
    }

    // MARK: Outages

    /// Tells what controls AM to do something: `pause`, `resume`, `restart`.
    func control(_ word: String) async throws {
        let command = try #require(settings.control)
        #expect(try await ChildProcess.run([command, word]), "\(command) \(word)")
    }
}

extension JSONValue {
    /// An object without one member.
    func without(_ name: String) -> JSONValue {
        guard var object else { return self }
        object[name] = nil
        return .object(object)
    }

    /// An object with a member set, by path.
    func setting(_ path: String, _ value: JSONValue) -> JSONValue {
        guard var object else { return self }
        let names = path.split(separator: ".", maxSplits: 1).map(String.init)
        object[names[0]] = names.count == 1 ? value : (object[names[0]] ?? [:]).setting(names[1], value)
        return .object(object)
    }
}
