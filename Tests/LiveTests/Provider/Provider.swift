import Basics
import Cryptography
import HTTPCore
import JSON
import Testing

/// The OpenID provider, used as a client, a user's browser and an operator do.
struct Provider: Sendable {
    let settings: ProviderSettings

    static func required() throws -> Provider { Provider(settings: try Live.requireProvider()) }

    /// Puts everything but the keys back to how it was at the start.
    func reset() async throws {
        try await admin("reset", [:])
    }

    /// Tells the provider to be as a test needs it.
    @discardableResult
    func admin(_ path: String, _ body: JSONValue) async throws -> Wire.Answer {
        let answer = try await Wire.send(.post, settings.address + "/admin/" + path, .json(body))
        try #require(answer.status == 200, "/admin/\(path): \(answer.text)")
        return answer
    }

    /// A token that the provider signed with its own key, whatever it says.
    func sign(_ algorithm: String, header: JSONValue, payload: JSONValue) async throws -> String {
        let answer = try await admin(
            "sign", ["alg": .string(algorithm), "header": header, "payload": payload])
        let text = answer["jwt"]?.string ?? answer["token"]?.string
        return try #require(text, "\(answer.text)")
    }

    /// A user's tokens for a resource: the answer of the token endpoint.
    func tokens(_ resource: String?, scopes: String = "openid read write") async throws -> Wire.Answer {
        let client = settings.client
        let verifier = SecureRandom.token(32)
        var query = QueryParameters()
        for (name, value) in [
            ("client_id", client.id), ("response_type", "code"), ("redirect_uri", client.redirectURI),
            ("scope", scopes), ("state", "s"), ("nonce", SecureRandom.token(16)),
            ("code_challenge", Base64URL.encode(Digest.hash(utf8: verifier))), ("code_challenge_method", "S256"),
        ] {
            query.append(name, value)
        }
        if let resource { query.append("resource", resource) }
        var form = [
            ("grant_type", "authorization_code"), ("redirect_uri", client.redirectURI), ("code_verifier", verifier),
            ("code", try await code(settings.address + "/auth?" + query.encoded)),
        ]
        if let resource { form.append(("resource", resource)) }
        let answer = try await Wire.send(.post, settings.address + "/token", .form(form), basic: client)
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// A user's access token for a resource.
    func token(_ resource: String, scopes: String = "openid read write") async throws -> String {
        try #require(try await tokens(resource, scopes: scopes)["access_token"]?.string)
    }

    /// A machine's token for a resource.
    func machineToken(_ resource: String) async throws -> String {
        let answer = try await Wire.send(
            .post, settings.address + "/token",
            .form([("grant_type", "client_credentials"), ("scope", "read"), ("resource", resource)]),
            basic: settings.machine)
        return try #require(answer["access_token"]?.string, "\(answer.text)")
    }

    private func code(_ address: String) async throws -> String {
        let end = try await walk(address, to: settings.client.redirectURI)
        let query = try #require(WebURL(end)?.query.flatMap { QueryParameters(parsing: $0) })
        return try #require(query.single("code"), "\(end)")
    }

    /// Walks through the provider's pages as a browser, filling in forms or refusing, to the address that leads back.
    func walk(_ start: String, to client: String, refusing: Bool = false) async throws -> String {
        var jar = CookieJar()
        var address = start
        var form: [(String, String)]?
        for _ in 0..<12 {
            let url = try #require(WebURL(address))
            let cookies = jar.header(for: url, now: SystemTime().now())
            let answer = try await Wire.send(
                form == nil ? .get : .post, address, form.map { .form($0) } ?? .none,
                headers: [("Accept", "text/html")] + (cookies.map { [("Cookie", $0)] } ?? []))
            jar.store(answer.fields, from: url, now: SystemTime().now())
            form = nil
            if let location = answer.field(.location) {
                let next = location.hasPrefix("/") ? settings.address + location : location
                if next.hasPrefix(client) { return next }
                address = next
                continue
            }
            let action = try #require(Self.between("action=\"", "\"", answer.text), "\(answer.status) \(answer.text)")
            let prompt = try #require(Self.between("name=\"prompt\" value=\"", "\"", answer.text))
            address = settings.address + action
            form = [("prompt", prompt)]
            if prompt == "login" { form? += [("login", settings.user), ("password", "x")] }
            if refusing { form? += [("error", "access_denied")] }
        }
        throw LiveNode.Missing(description: "the provider's pages have no end")
    }

    private static func between(_ before: String, _ after: String, _ text: String) -> String? {
        guard let start = text.firstRange(of: before)?.upperBound else { return nil }
        let rest = text[start...]
        return rest.firstRange(of: after).map { String(rest[..<$0.lowerBound]) }
    }
}
