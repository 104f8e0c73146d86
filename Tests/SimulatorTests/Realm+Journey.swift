import HTTPCore
import IdentitySimulator
import JSON
import Testing

extension Realm {
    /// Starts a journey.
    func start(
        _ journey: String, _ parameters: [(String, String)] = [], session: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Reply {
        let query = Self.query([("authIndexType", "service"), ("authIndexValue", journey)] + parameters)
        return try await post(
            "\(Self.json)/authenticate?\(query)", json: [:], headers: headers + sessionHeader(session))
    }

    /// Sends a page back with these inputs filled.
    func next(
        _ page: JSONValue, _ values: [String: JSONValue] = [:], _ parameters: [(String, String)] = [],
        session: String? = nil
    ) async throws -> Reply {
        let query = parameters.isEmpty ? "" : "?" + Self.query(parameters)
        return try await post(
            "\(Self.json)/authenticate\(query)", json: Self.fill(page, values), headers: sessionHeader(session))
    }

    /// The page with these inputs filled and everything else as it is.
    static func fill(_ page: JSONValue, _ values: [String: JSONValue]) -> JSONValue {
        guard var object = page.object else { return page }
        object["callbacks"] = .array(
            (page["callbacks"]?.array ?? []).map { callback in
                guard var filled = callback.object, let inputs = filled["input"]?.array else { return callback }
                filled["input"] = .array(
                    inputs.map { input in
                        guard let name = input["name"]?.string, let value = values[name] else { return input }
                        return ["name": .string(name), "value": value]
                    })
                return .object(filled)
            })
        return .object(object)
    }

    /// Signs in with the journey `Login` and returns the session.
    func signIn(_ user: String = "demo", password: String = Self.password) async throws -> String {
        let page = try await start("Login").json
        let end = try await next(page, ["IDToken1": .string(user), "IDToken2": .string(password)])
        return try #require(end.json["tokenId"]?.string)
    }

    /// Raises a session to level 3 and returns its new value.
    func stepUp(_ session: String) async throws -> String {
        let page = try await start("StepUp", [("ForceAuth", "true")], session: session).json
        let end = try await next(page, ["IDToken1": "424242"], session: session)
        return try #require(end.json["tokenId"]?.string)
    }

    /// The version of PingAM's resource that serves each action.
    private static let versions = [
        "getSessionInfo": "resource=4.0, protocol=1.0", "validate": "resource=3.0, protocol=1.0",
        "refresh": "resource=3.1, protocol=1.0", "logout": "resource=3.1, protocol=1.0",
    ]

    /// Asks PingAM about a session, in the version that serves the action.
    func sessions(_ action: String, _ session: String?, body: JSONValue = [:]) async throws -> Reply {
        try await sessions(action, session, version: Self.versions[action], body: body)
    }

    func sessions(
        _ action: String, _ session: String?, version: String?, body: JSONValue = [:]
    ) async throws -> Reply {
        let headers = sessionHeader(session) + (version.map { [("Accept-API-Version", $0)] } ?? [])
        return try await post("\(Self.json)/sessions?_action=\(action)", json: body, headers: headers)
    }

    func isAlive(_ session: String) async throws -> Bool {
        try await sessions("validate", session).json["valid"]?.bool == true
    }

    func sessionHeader(_ session: String?) -> [(String, String)] {
        session.map { [(cookieName, $0)] } ?? []
    }
}
