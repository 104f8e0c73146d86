import Cloakroom
import JSON
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit

/// Runs a server with parts of one's own until SIGTERM.
func serve(
    _ store: any ByteStore, _ vault: any Encryptor, keys: @escaping @Sendable () throws -> ServerKeys
) async throws {
    let source = SettingsSource(path: "/etc/cloakroom/cloakroom.yaml", environment: [:], keys: keys)
    let settings = try source.read().settings
    try await Cloakroom.run(
        settings,
        extend: { server in
            server.store = store
            server.encryptor = vault
        },
        reload: { try? source.read().settings })
}

/// A module in every journey, a callback type in those of one client.
func extend(_ server: inout ServerExtensions) {
    server.journey { config in
        config.module(Modules.customParameter) { $0.parameter(name: "shop", value: "web-2") }
    }
    server.journey("standard") { config in
        config.catalogue = config.catalogue.adding([RatingCallback.self])
    }
}

/// Asks for one to five stars.
struct RatingCallback: JourneyCallback {
    static let wireType = "RatingCallback"
    let raw: RawCallback

    init(_ raw: RawCallback) { self.raw = raw }

    /// What the page shows besides id and type.
    var members: JSONObject { ["prompt": .string(raw.text("prompt"))] }

    var answerSchema: JSONObject? { ["type": "integer", "minimum": 1, "maximum": 5] }

    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard let stars = answer.int else { return AnswerRefusal(.wrongType, "the answer must be a whole number") }
        return 1...5 ~= stars ? nil : AnswerRefusal(.outOfRange, "the answer is 1 to 5")
    }

    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}
