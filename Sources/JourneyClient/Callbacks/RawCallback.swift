internal import Basics
public import JSON

/// One callback as it came, with the parts that every type has in common taken out.
///
/// Reading is tolerant, because the protocol is: members may be missing, their order is free, null means absent. What
/// goes back is always the object as received with new values in its inputs.
public struct RawCallback: Sendable {
    private let contents: Contents

    /// What it consists of, shared by all copies: callbacks are copied wherever a page is walked.
    private final class Contents: Sendable {
        let id: String
        let type: String
        let index: Int
        let json: JSONValue
        let inputs: [Input]
        let page: CallbackPage
        /// The outputs with their names in order, those without one left out.
        let named: [Output]

        init(_ json: JSONValue, _ index: Int, _ id: String, _ inputs: [Input], _ page: CallbackPage) {
            self.json = json
            self.index = index
            self.id = id
            self.inputs = inputs
            self.page = page
            type = json["type"]?.string ?? ""
            var named: [Output] = []
            if let entries = json["output"]?.array {
                named.reserveCapacity(entries.count)
                for entry in entries {
                    guard let name = entry["name"]?.string else { continue }
                    named.append(Output(name: name, value: entry["value"] ?? .null))
                }
            }
            self.named = named
        }
    }

    private struct Output {
        let name: String
        let value: JSONValue
    }

    /// One place for an answer.
    public struct Input: Sendable {
        /// The name that the server gave it, `IDToken1` and the like; empty when it gave none.
        public let name: String
        /// What it was filled with when it came; null when it had no value.
        public let value: JSONValue
    }

    init(_ json: JSONValue, index: Int, id: String, inputs: [Input], page: CallbackPage) {
        contents = Contents(json, index, id, inputs, page)
    }

    /// The id of its question, unique on the page.
    public var id: String { contents.id }
    /// The type on the wire; empty when the server sent none.
    public var type: String { contents.type }
    /// The position on the page, from 0, callbacks without input counted.
    public var index: Int { contents.index }
    /// The callback as received.
    public var json: JSONValue { contents.json }
    /// The inputs in order; empty when there are none.
    public var inputs: [Input] { contents.inputs }
    /// The page that it stands on.
    public var page: CallbackPage { contents.page }

    /// The inputs of a callback; none when any of them is no object, so that the callback only goes back as it came.
    static func inputs(of json: JSONValue) -> [Input] {
        guard let entries = json["input"]?.array else { return [] }
        var inputs: [Input] = []
        inputs.reserveCapacity(entries.count)
        for entry in entries {
            guard let entry = entry.object else { return [] }
            inputs.append(Input(name: entry["name"]?.string ?? "", value: entry["value"] ?? .null))
        }
        return inputs
    }

    /// The value of an output; nil when it is missing or null.
    public func output(_ name: String) -> JSONValue? {
        for output in contents.named where output.name == name && !output.value.isNull { return output.value }
        return nil
    }

    /// The same of a callback that is only looked at.
    static func output(_ name: String, of json: JSONValue) -> JSONValue? {
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

    /// A truth value; false for anything else.
    public func flag(_ name: String) -> Bool {
        output(name)?.bool ?? false
    }

    /// The texts of a list; empty when it is missing or no list.
    public func texts(_ name: String) -> [String] {
        (output(name)?.array ?? []).compactMap(\.string)
    }

    /// What an input came filled with, when that is a text; empty otherwise, and when there is no such input.
    func filledText(_ input: Int? = 0) -> String {
        guard let input, inputs.indices.contains(input) else { return "" }
        return inputs[input].value.string ?? ""
    }

    /// The position of the input whose name ends so; the first part of the name depends on the place on the page.
    public func input(endingWith suffix: String) -> Int? {
        inputs.firstIndex { $0.name.ends(withText: suffix) }
    }

    /// All outputs by name; of two with one name the first counts.
    public var outputs: JSONObject {
        var outputs = JSONObject()
        for output in contents.named { outputs.add(output.name, output.value) }
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
