internal import JSON

/// The facts about a page that its callbacks can see.
///
/// Some types write their answer into hidden values beside them. A hidden value is found by its own id, and filled by
/// its position, because two inputs may have the same name.
public struct CallbackPage: Sendable {
    private let contents: Contents

    /// The contents of the page, shared by all its callbacks.
    private final class Contents: Sendable {
        let step: JSONObject
        let inputs: [[RawCallback.Input]]
        let firstName: Int?
        let passwords: [Int]

        init(_ step: JSONObject, _ inputs: [[RawCallback.Input]]) {
            var firstName: Int?
            var passwords: [Int] = []
            for (position, callback) in callbacks(of: step).enumerated() {
                let type = callback["type"]?.string
                if firstName == nil, type == NameCallback.wireType { firstName = position }
                if inputs[position].count == 1, type == PasswordCallback.wireType { passwords.append(position) }
            }
            self.step = step
            self.inputs = inputs
            self.firstName = firstName
            self.passwords = passwords
        }
    }

    init(_ step: JSONObject, inputs: [[RawCallback.Input]]) {
        contents = Contents(step, inputs)
    }

    /// The name that the author of the journey gives the page; AM 6.5 sends it in a MetadataCallback.
    public var stage: String? { Self.stage(of: contents.step) }

    /// The stage of a step whose callbacks are not parsed yet.
    static func stage(of step: JSONObject) -> String? {
        if let stage = step["stage"]?.string { return stage }
        for callback in callbacks(of: step) where callback["type"]?.string == "MetadataCallback" {
            if let stage = RawCallback.output("data", of: callback)?["stage"]?.string { return stage }
        }
        return nil
    }

    private static func callbacks(of step: JSONObject) -> [JSONValue] { step["callbacks"]?.array ?? [] }

    private var callbacks: [JSONValue] { Self.callbacks(of: contents.step) }

    /// The hidden values with an input, in page order, each with its position and its own name.
    var hiddenValues: [(position: Int, id: String)] {
        callbacks.enumerated().compactMap { position, json in
            guard json["type"]?.string == HiddenValueCallback.wireType, let input = contents.inputs[position].first
            else {
                return nil
            }
            let id = RawCallback.output("id", of: json)?.string ?? ""
            return (position, HiddenValueCallback.name(id: id, input))
        }
    }

    /// The position of the first NameCallback; in a form with several it asks for the user name.
    var firstName: Int? { contents.firstName }

    /// The value that the server sent in the first input of a callback; null for none.
    func received(_ position: Int) -> JSONValue { contents.inputs[position].first?.value ?? .null }

    /// The positions of the PasswordCallbacks with one input.
    var passwords: [Int] { contents.passwords }

    /// The values that the server sent in all hidden values, in page order.
    var hiddenTexts: [String] {
        callbacks.flatMap { json -> [String] in
            guard json["type"]?.string == HiddenValueCallback.wireType else { return [] }
            return (json["output"]?.array ?? []).compactMap {
                $0["name"]?.string == "value" ? $0["value"]?.string : nil
            }
        }
    }
}
