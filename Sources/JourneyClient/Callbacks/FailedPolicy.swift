public import JSON

/// One requirement that a value did not meet.
public struct FailedPolicy: Sendable, Equatable {
    /// The key, `MIN_LENGTH` and the like; the list is open.
    public let requirement: String
    /// Its parameters; empty when there are none.
    public let params: JSONObject

    /// A requirement that was not met.
    public init(requirement: String, params: JSONObject = [:]) {
        self.requirement = requirement
        self.params = params
    }

    /// Reads an object, or a text that contains one; a text that contains none is taken as the key.
    init(_ value: JSONValue) {
        let parsed = value.string.flatMap { try? JSONValue(parsing: $0) } ?? value
        requirement = parsed["policyRequirement"]?.string ?? value.string ?? "UNKNOWN"
        params = parsed["params"]?.object ?? [:]
    }

    /// The key, the parameters and what they mean in English, whatever form they came in.
    public var document: JSONObject {
        ["requirement": .string(requirement), "params": .object(params), "message": .string(message)]
    }

    /// Reads a list that may be missing.
    static func list(_ value: JSONValue?) -> [FailedPolicy] {
        (value?.array ?? []).map { FailedPolicy($0) }
    }

    /// A list as browsers see it.
    static func document(_ list: [FailedPolicy]) -> JSONValue { .array(list.map { .object($0.document) }) }
}
