package import JSON

/// What browsers are told of a provider's refusal besides its message.
package struct FailureDetails: Sendable, Equatable {
    /// The values that do not meet policies, one object each; nil for a refusal for another reason.
    package var faults: [JSONValue]?
    /// Members of the provider's own words that the settings expose.
    package var exposed = JSONObject()

    /// Nothing but the message.
    package init() {}
}

extension FailureDetails {
    /// A stored form, empty where there is nothing to tell.
    var encoded: [UInt8] {
        guard self != FailureDetails() else { return [] }
        return JSONValue.array([faults.map { .array($0) } ?? .null, .object(exposed)]).serialized()
    }

    /// Reads the stored form; nothing for what is none.
    init(decoding bytes: [UInt8]) {
        guard !bytes.isEmpty, let stored = try? JSONValue(parsing: bytes) else { return }
        faults = stored[0]?.array
        exposed = stored[1]?.object ?? [:]
    }
}
