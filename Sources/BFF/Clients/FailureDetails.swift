package import JSON

/// The details of a provider's refusal that browsers see besides its message.
package struct FailureDetails: Sendable, Equatable {
    /// The values that do not meet policies, one object each; nil for a refusal for another reason.
    package var entries: [JSONValue]?
    /// The members of the provider's answer that the settings expose.
    package var exposed = JSONObject()

    /// Makes empty details.
    package init() {}
}

extension FailureDetails {
    /// The stored form; empty if there are no details.
    var encoded: [UInt8] {
        guard self != FailureDetails() else { return [] }
        return JSONValue.array([entries.map { .array($0) } ?? .null, .object(exposed)]).serialized()
    }

    /// Reads the stored form; malformed bytes give empty details.
    init(decoding bytes: [UInt8]) {
        guard !bytes.isEmpty, let stored = try? JSONValue(parsing: bytes) else { return }
        entries = stored[0]?.array
        exposed = stored[1]?.object ?? [:]
    }
}
