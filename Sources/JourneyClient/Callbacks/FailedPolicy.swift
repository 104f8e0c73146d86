public import JSON

/// A requirement of a policy that a value failed.
public struct FailedPolicy: Sendable, Equatable {
    /// The key of the requirement, such as `MIN_LENGTH`; the list of keys is open.
    public let requirement: String
    /// The parameters of the requirement; empty when there are none.
    public let params: JSONObject

    /// Makes a failed requirement.
    public init(requirement: String, params: JSONObject = [:]) {
        self.requirement = requirement
        self.params = params
    }

    /// Reads an object, or a text that contains one as JSON; any other text is taken as the key.
    init(_ value: JSONValue) {
        let parsed = value.string.flatMap { try? JSONValue(parsing: $0) } ?? value
        requirement = parsed["policyRequirement"]?.string ?? value.string ?? "UNKNOWN"
        params = parsed["params"]?.object ?? [:]
    }

    /// The key, the parameters and an English sentence, whatever form the server sent.
    public var document: JSONObject {
        ["requirement": .string(requirement), "params": .object(params), "message": .string(message)]
    }

    /// Reads a list; nil is read as an empty list.
    static func list(_ value: JSONValue?) -> [FailedPolicy] {
        (value?.array ?? []).map { FailedPolicy($0) }
    }

    /// The requirements as JSON for browsers.
    static func document(_ list: [FailedPolicy]) -> JSONValue { .array(list.map { .object($0.document) }) }
}
