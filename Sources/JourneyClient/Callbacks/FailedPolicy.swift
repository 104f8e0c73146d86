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

    /// The members as AM names them.
    public var document: JSONObject {
        var document: JSONObject = ["policyRequirement": .string(requirement)]
        if !params.isEmpty { document["params"] = .object(params) }
        return document
    }

    /// Reads a list that may be missing.
    static func list(_ value: JSONValue?) -> [FailedPolicy] {
        (value?.array ?? []).map { FailedPolicy($0) }
    }
}
