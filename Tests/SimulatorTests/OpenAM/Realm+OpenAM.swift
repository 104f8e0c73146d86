import Basics
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import Testing

extension Realm {
    /// Name and password.
    static func login(_ user: String, _ password: String = password) -> [String: JSONValue] {
        ["IDToken1": .string(user), "IDToken2": .string(password)]
    }

    /// Whether a session lives, by the version that has `validate` at OpenAM.
    func lives(_ session: String) async throws -> Bool {
        try await sessions("validate", session, version: "resource=1.2").json["valid"]?.bool == true
    }

    /// Signs in from the first page on; the answer to the last.
    func run(
        _ journey: String = "Login", _ user: String = "demo", start parameters: [(String, String)] = [],
        next: [(String, String)] = [], headers: [(String, String)] = []
    ) async throws -> Reply {
        var reply = try await start(journey, parameters, headers: headers)
        while reply.status == 200, let callbacks = reply.json["callbacks"]?.array {
            let values = callbacks.count == 1 ? ["IDToken1": "424242"] : Self.login(user)
            let query = next.isEmpty ? "" : "?" + Self.query(next)
            reply = try await post(
                "\(Self.json)/authenticate\(query)", json: Self.fill(reply.json, values), headers: headers)
        }
        return reply
    }

    func cookie(_ session: String) -> (String, String) { ("Cookie", "\(cookieName)=\(session)") }

    /// Asks for a code with the session as a cookie.
    func authorizeByCookie(
        _ changes: [String: String?] = [:], client: String = "bff", scope: String = "openid profile email",
        session: String?
    ) async throws -> Reply {
        var request = Self.request(client: client, scope: scope)
        for (name, value) in changes { request[name] = value }
        let query = Self.query(request.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        return try await send(
            .get, "\(Self.oauth)/authorize?\(query)", headers: session.map { [cookie($0)] } ?? [])
    }

    /// Id and secret as they are.
    static func rawBasic(_ id: String, _ secret: String) -> (String, String) {
        ("Authorization", "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)))
    }

    static let rawBFF = rawBasic("bff", "s/ecret+1")
    static let rawTransaction = rawBasic("bff-tx", "tx:s%cret")

    /// Tokens of a client for a new session, or for one that lives.
    func openAMTokens(
        _ changes: [String: String?] = [:], client: String = "bff", scope: String = "openid profile email",
        session: String? = nil, headers: [(String, String)] = [rawBFF]
    ) async throws -> JSONValue {
        var living = session
        if living == nil { living = try await signIn() }
        let reply = try await authorizeByCookie(changes, client: client, scope: scope, session: living)
        return try await exchange(try #require(reply.location?.single("code")), headers: headers).json
    }

    /// Header and claims of a token, unchecked.
    static func parts(_ token: JSONValue?) throws -> (header: JSONObject, claims: JSONObject) {
        let parts = try #require(token?.string).split(separator: ".")
        try #require(parts.count == 3)
        let objects = try parts.prefix(2).map { part in
            let bytes = try #require(Base64URL.decode(part))
            return try JSONValue(parsing: bytes).object ?? [:]
        }
        return (objects[0], objects[1])
    }
}
