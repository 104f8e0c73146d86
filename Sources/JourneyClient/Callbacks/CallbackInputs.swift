public import JSON

/// The values for the inputs of a page; inputs without a value keep what the server sent.
public struct CallbackInputs: Sendable {
    /// By position of the callback: positions of its inputs with values; of several values for an input the last one
    /// counts.
    private var values: [[(input: Int, value: JSONValue)]]
    /// The position of the callback whose answer is being filled in.
    private var own = 0

    /// Makes an empty set of values for a page with this number of callbacks.
    init(callbacks: Int) {
        values = Array(repeating: [], count: callbacks)
    }

    /// Sets the value of an input of the current callback; nil or an input that the server did not send is ignored.
    public mutating func set(_ index: Int?, _ value: JSONValue) {
        if let index { set(own, index, value) }
    }

    /// Sets the value of the only input of another callback on the page.
    mutating func set(siblingAt position: Int?, _ value: JSONValue) {
        if let position { set(position, 0, value) }
    }

    private mutating func set(_ position: Int, _ index: Int, _ value: JSONValue) {
        if values.indices.contains(position) { values[position].append((index, value)) }
    }

    /// Lets a callback fill in its answer.
    mutating func fill(_ callback: any JourneyCallback, _ answer: JSONValue) {
        own = callback.raw.index
        callback.fill(answer, &self)
    }

    /// The callback with its new values; everything else as received.
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
