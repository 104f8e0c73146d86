public import JSON

/// One callback as it came, with the parts that every type has in common taken out.
///
/// Reading is tolerant, because the protocol is: members may be missing, their order is free, null means absent. What
/// goes back is always the object as received with new values in its inputs.
public struct RawCallback: Sendable {
    /// The id of its question, unique on the page.
    public let id: String
    /// The type on the wire; empty when the server sent none.
    public let type: String
    /// The position on the page, from 0, callbacks without input counted.
    public let index: Int
    /// The callback as received.
    public let json: JSONValue
    /// The inputs in order; empty when there are none.
    public let inputs: [Input]

    /// One place for an answer.
    public struct Input: Sendable {
        /// The name that the server gave it, `IDToken1` and the like.
        public let name: String
        /// What it was filled with when it came; null when it had no value.
        public let value: JSONValue
    }

    init(_ json: JSONValue, index: Int, id: String, inputs: [Input]) {
        self.json = json
        self.index = index
        self.id = id
        self.inputs = inputs
        type = json["type"]?.string ?? ""
    }

    /// The inputs of a callback; none when any of them is malformed, so that the callback only goes back as it came.
    static func inputs(of json: JSONValue) -> [Input] {
        var inputs: [Input] = []
        for entry in json["input"]?.array ?? [] {
            guard let name = entry["name"]?.string else { return [] }
            inputs.append(Input(name: name, value: entry["value"] ?? .null))
        }
        return inputs
    }

    /// The value of an output; nil when it is missing or null.
    public func output(_ name: String) -> JSONValue? {
        for entry in json["output"]?.array ?? [] where entry["name"]?.string == name {
            if let value = entry["value"], !value.isNull { return value }
        }
        return nil
    }

    /// A text output; empty when it is missing or no text.
    public func text(_ name: String) -> String {
        output(name)?.string ?? ""
    }

    /// A whole number that some servers send as text.
    public func integer(_ name: String) -> Int64? {
        let value = output(name)
        return value?.int ?? value?.string.flatMap { Int64($0) }
    }

    /// The position of the input whose name ends so; the first part of the name depends on the place on the page.
    public func input(endingWith suffix: String) -> Int? {
        inputs.firstIndex { $0.name.hasSuffix(suffix) }
    }

    /// All outputs by name; of two with one name the first counts.
    public var outputs: JSONObject {
        var outputs = JSONObject()
        for entry in json["output"]?.array ?? [] {
            if let name = entry["name"]?.string, outputs[name] == nil { outputs[name] = entry["value"] ?? .null }
        }
        return outputs
    }
}

extension RawCallback: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Id and type; what came along may be secret.
    public var description: String { "\(type)(\(id))" }
    /// Id and type; what came along may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The values that go back in the inputs of a callback; untouched ones keep what the server put there.
public struct CallbackInputs: Sendable {
    private(set) var values: [JSONValue?]

    init(count: Int) {
        values = Array(repeating: nil, count: count)
    }

    /// Fills an input; one that the server did not send is ignored.
    public mutating func set(_ index: Int?, _ value: JSONValue) {
        if let index, values.indices.contains(index) { values[index] = value }
    }

    /// The callback with its new values, everything else as received.
    func filled(_ callback: RawCallback) -> JSONValue {
        guard values.contains(where: { $0 != nil }), var object = callback.json.object,
            var entries = object["input"]?.array
        else { return callback.json }
        for (index, value) in values.enumerated() {
            guard let value, entries.indices.contains(index), var entry = entries[index].object else { continue }
            entry["value"] = value
            entries[index] = .object(entry)
        }
        object["input"] = .array(entries)
        return .object(object)
    }
}
