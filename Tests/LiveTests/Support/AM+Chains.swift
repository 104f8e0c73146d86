import Basics
import HTTPCore
import JSON
import Testing

extension AM {
    private static let authentication = "/realm-config/authentication"

    /// Runs a body while the root realm has one chain more, of these modules, each with what its success and failure mean.
    func withChain(
        _ name: String, _ modules: KeyValuePairs<String, String>, _ body: () async throws -> Void
    ) async throws {
        let entries = modules.map { module, criteria -> JSONValue in
            ["module": .string(module), "criteria": .string(criteria), "options": [:]]
        }
        let place = json("/", Self.authentication + "/chains")
        let own = place + "/" + PercentEncoding.encode(name)
        // What a run before this one has left.
        _ = try await Wire.send(.delete, own, headers: try await power())
        let made = try await Wire.send(
            .post, place + "?_action=create",
            .json([
                "_id": .string(name), "authChainConfiguration": .array(entries), "loginFailureUrl": [],
                "loginPostProcessClass": [], "loginSuccessUrl": [],
            ]), headers: try await power())
        try #require(made.status == 201, "\(made.status) \(made.text)")
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        let removed = try await Wire.send(.delete, own, headers: try await power())
        #expect(removed.status == 200, "\(removed.status) \(removed.text)")
        try outcome.get()
    }

    /// Runs a body while a module of the root realm has another setting, and gives it back its own.
    func withModule(
        _ name: String, of type: String, _ change: (setting: String, value: JSONValue), _ body: () async throws -> Void
    ) async throws {
        let place = json("/", Self.authentication + "/modules/\(type)/\(name)")
        let before = try await Wire.send(.get, place, headers: try await power()).json.without("_rev")
        #expect(before[change.setting] != nil, "\(before.text)")
        func put(_ value: JSONValue) async throws {
            let answer = try await Wire.send(.put, place, .json(value), headers: try await power())
            #expect(answer.status == 200, "\(answer.text.prefix(200))")
        }
        try await put(before.setting(change.setting, change.value))
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        try await put(before)
        try outcome.get()
    }
}
