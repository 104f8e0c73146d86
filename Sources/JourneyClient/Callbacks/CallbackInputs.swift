public import JSON

/// The values that go back in the inputs of a page; untouched ones keep what the server put there.
public struct CallbackInputs: Sendable {
    /// By the position of the callback: positions of its inputs with their values, of which the last one counts.
    private var values: [[(input: Int, value: JSONValue)]]
    /// The callback whose answer is filled in now.
    private var own = 0

    /// Values for a page of so many callbacks.
    init(callbacks: Int) {
        values = Array(repeating: [], count: callbacks)
    }

    /// Fills an input; one that the server did not send is ignored.
    public mutating func set(_ index: Int?, _ value: JSONValue) {
        if let index { set(own, index, value) }
    }

    /// Fills the one input of what stands beside the callback.
    mutating func set(siblingAt position: Int?, _ value: JSONValue) {
        if let position { set(position, 0, value) }
    }

    private mutating func set(_ position: Int, _ index: Int, _ value: JSONValue) {
        if values.indices.contains(position) { values[position].append((index, value)) }
    }

    /// Has a callback fill in its answer.
    mutating func fill(_ callback: any JourneyCallback, _ answer: JSONValue) {
        own = callback.raw.index
        callback.fill(answer, &self)
    }

    /// The callback with its new values, everything else as received.
    func filled(_ callback: RawCallback) -> JSONValue {
        guard values.indices.contains(callback.index), case let values = values[callback.index], !values.isEmpty,
            var object = callback.json.object,
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
