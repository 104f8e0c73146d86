import Basics
import HTTPCore
import JSON
import Testing

extension AM {
    private static let authentication = "/realm-config/authentication"

    /// Runs a body while the root realm has a chain of these modules, each with what its success and failure mean.
    func withChain(
        _ name: String, _ modules: KeyValuePairs<String, String>, _ body: () async throws -> Void
    ) async throws {
        let entries = modules.map { module, criteria -> JSONValue in
            ["module": .string(module), "criteria": .string(criteria), "options": [:]]
        }
        try await with(
            "/chains", name,
            [
                "authChainConfiguration": .array(entries), "loginFailureUrl": [], "loginPostProcessClass": [],
                "loginSuccessUrl": [],
            ], body)
    }

    /// Runs a body while the root realm has a module like another of its type, but for one setting.
    func withModule(
        _ name: String, like other: String, of type: String, _ change: (setting: String, value: JSONValue),
        _ body: () async throws -> Void
    ) async throws {
        let place = json("/", Self.authentication + "/modules/\(type)/\(other)")
        let known = try await Wire.send(.get, place, headers: try await power())
        #expect(known.json[change.setting] != nil, "\(known.text)")
        try await with(
            "/modules/\(type)", name,
            known.json.without("_rev").without("_type").setting(change.setting, change.value), body)
    }

    /// Runs a body while there is one thing more of a kind.
    private func with(
        _ kind: String, _ name: String, _ value: JSONValue, _ body: () async throws -> Void
    ) async throws {
        let place = json("/", Self.authentication + kind)
        let own = place + "/" + PercentEncoding.encode(name)
        // What a run before this one has left.
        _ = try await Wire.send(.delete, own, headers: try await power())
        let made = try await Wire.send(
            .post, place + "?_action=create", .json(value.setting("_id", .string(name))),
            headers: try await power())
        try #require(made.status == 201, "\(made.status) \(made.text)")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        let removed = try await Wire.send(.delete, own, headers: try await power())
        #expect(removed.status == 200, "\(removed.status) \(removed.text)")
        try outcome.get()
    }
}
