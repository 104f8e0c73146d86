internal import Basics
public import JSON

/// A callback as received, with the parts that all types have in common.
///
/// Parsing is tolerant, as the protocol requires: members may be missing, their order is free, and null means absent.
/// The callback is sent back as received, with new values in its inputs only.
public struct RawCallback: Sendable {
    private let contents: Contents

    /// The parts of the callback, shared by all copies, because callbacks are copied wherever a page is traversed.
    private final class Contents: Sendable {
        let id: String
        let type: String
        let index: Int
        let json: JSONValue
        let inputs: [Input]
        let page: CallbackPage
        /// The named outputs in order; outputs without a name are left out.
        let named: [Output]

        init(_ json: JSONValue, index: Int, id: String, inputs: [Input], page: CallbackPage) {
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

    /// An input of a callback, which takes an answer.
    public struct Input: Sendable {
        /// The name that the server gave the input, such as `IDToken1`; empty when it gave none.
        public let name: String
        /// The value that the server sent in the input; null when it sent none.
        public let value: JSONValue
    }

    init(_ json: JSONValue, index: Int, id: String, inputs: [Input], page: CallbackPage) {
        contents = Contents(json, index: index, id: id, inputs: inputs, page: page)
    }

    /// The id of the callback's question, unique on the page.
    public var id: String { contents.id }
    /// The type on the wire; empty when the server sent none.
    public var type: String { contents.type }
    /// The position on the page, from 0; callbacks without inputs count too.
    public var index: Int { contents.index }
    /// The callback as received.
    public var json: JSONValue { contents.json }
    /// The inputs in order; empty when there are none.
    public var inputs: [Input] { contents.inputs }
    /// The page that contains the callback.
    public var page: CallbackPage { contents.page }

    /// The inputs of a callback; empty if any of them is not an object, so that the callback goes back as received.
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

    /// The value of an output of an unparsed callback; nil when it is missing or null.
    static func output(_ name: String, of json: JSONValue) -> JSONValue? {
        for entry in json["output"]?.array ?? [] where entry["name"]?.string == name {
            if let value = entry["value"], !value.isNull { return value }
        }
        return nil
    }

    /// The text of an output; empty when it is missing or not a text.
    public func text(_ name: String) -> String {
        output(name)?.string ?? ""
    }

    /// The whole number of an output, which some servers send as text; nil for anything else.
    public func integer(_ name: String) -> Int64? {
        let value = output(name)
        return value?.int ?? value?.string.flatMap { Int64($0) }
    }

    /// The boolean of an output; false for anything else.
    public func flag(_ name: String) -> Bool {
        output(name)?.bool ?? false
    }

    /// The texts of an output that is a list; empty when it is missing or not a list.
    public func texts(_ name: String) -> [String] {
        (output(name)?.array ?? []).compactMap(\.string)
    }

    /// The text that the server sent in an input; empty if it sent no text, and if there is no such input.
    func filledText(_ input: Int? = 0) -> String {
        guard let input, inputs.indices.contains(input) else { return "" }
        return inputs[input].value.string ?? ""
    }

    /// The position of the input whose name has this suffix; the prefix depends on the position on the page.
    public func input(endingWith suffix: String) -> Int? {
        inputs.firstIndex { $0.name.ends(withText: suffix) }
    }

    /// All outputs by name; of two with the same name the first counts.
    public var outputs: JSONObject {
        var outputs = JSONObject()
        for output in contents.named { outputs.add(output.name, output.value) }
        return outputs
    }
}

extension RawCallback: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type and id only, because the inputs and outputs may be secret.
    public var description: String { "\(type)(\(id))" }
    /// Type and id only, because the inputs and outputs may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that printing or dumping the value shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
