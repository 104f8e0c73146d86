public import JSON

/// The values that go back in the inputs of a page; untouched ones keep what the server put there.
public struct CallbackInputs: Sendable {
    /// By the position of the callback, then by that of the input.
    private var values: [Int: [Int: JSONValue]] = [:]
    /// The callback whose answer is filled in now.
    private var own = 0

    init() {}

    /// Fills an input; one that the server did not send is ignored.
    public mutating func set(_ index: Int?, _ value: JSONValue) {
        if let index { values[own, default: [:]][index] = value }
    }

    /// Fills the one input of what stands beside the callback.
    mutating func set(siblingAt position: Int?, _ value: JSONValue) {
        if let position { values[position, default: [:]][0] = value }
    }

    /// Has a callback fill in its answer.
    mutating func fill(_ callback: any JourneyCallback, _ answer: JSONValue) {
        own = callback.raw.index
        callback.fill(answer, &self)
    }

    /// The callback with its new values, everything else as received.
    func filled(_ callback: RawCallback) -> JSONValue {
        guard let values = values[callback.index], var object = callback.json.object,
            var entries = object["input"]?.array
        else { return callback.json }
        for (index, value) in values where callback.inputs.indices.contains(index) {
            guard var entry = entries[index].object else { continue }
            entry["value"] = value
            entries[index] = .object(entry)
        }
        object["input"] = .array(entries)
        return .object(object)
    }
}
