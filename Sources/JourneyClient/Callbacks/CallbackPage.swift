internal import JSON

/// What a callback sees of the page that it stands on.
///
/// A few types write their answer into hidden values beside them: those are found by what they say of themselves, and
/// filled by their position, as two inputs may have one name.
public struct CallbackPage: Sendable {
    private let contents: Contents

    /// Shared by the callbacks of the page, each of which knows it.
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

    /// What the author of the journey calls the page; in AM 6.5 a MetadataCallback says it in place of the page.
    public var stage: String? { Self.stage(of: contents.step) }

    /// The same of a step that no callback has to be read of.
    static func stage(of step: JSONObject) -> String? {
        if let stage = step["stage"]?.string { return stage }
        for callback in callbacks(of: step) where callback["type"]?.string == "MetadataCallback" {
            if let stage = RawCallback.output("data", of: callback)?["stage"]?.string { return stage }
        }
        return nil
    }

    private static func callbacks(of step: JSONObject) -> [JSONValue] { step["callbacks"]?.array ?? [] }

    private var callbacks: [JSONValue] { Self.callbacks(of: contents.step) }

    /// The hidden values that can be filled, in page order, each with its position and its own name.
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

    /// The position of the first name that is asked for; of a form with several it is the user's.
    var firstName: Int? { contents.firstName }

    /// The positions of the passwords that can be filled.
    var passwords: [Int] { contents.passwords }

    /// The values that all hidden values come with, in page order.
    var hiddenTexts: [String] {
        callbacks.flatMap { json -> [String] in
            guard json["type"]?.string == HiddenValueCallback.wireType else { return [] }
            return (json["output"]?.array ?? []).compactMap {
                $0["name"]?.string == "value" ? $0["value"]?.string : nil
            }
        }
    }
}
