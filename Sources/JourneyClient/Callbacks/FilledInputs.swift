internal import Basics
internal import JSON

/// The values of a page's inputs, as a program has filled them that speaks AM's protocol.
struct FilledInputs {
    /// By position of the callback, the values of its inputs.
    let page: [[JSONValue]]
    /// The callback whose answer is read.
    let raw: RawCallback

    /// The values of the callback's own inputs.
    var values: [JSONValue] { page[raw.index] }

    /// True if a value of the callback differs from what the server sent.
    var isChanged: Bool { !raw.inputs.map(\.value).elementsEqual(values) }

    /// The value of an input; nil where the server sent no such input.
    func value(_ input: Int?) -> JSONValue? { input.flatMap { values.indices.contains($0) ? values[$0] : nil } }

    /// The value of the input whose name has this suffix, if it differs from what the server sent.
    func changed(_ suffix: String) -> JSONValue? {
        guard let input = raw.input(endingWith: suffix), values[input] != raw.inputs[input].value else { return nil }
        return values[input]
    }

    /// The value of the only input of another callback, if it differs from what the server sent.
    func changed(siblingAt position: Int, on step: CallbackPage) -> JSONValue? {
        guard page.indices.contains(position), let value = page[position].first,
            value != step.received(position)
        else { return nil }
        return value
    }

    /// An object of all inputs that the server sent, by member, if one of them was changed; nil if none was.
    ///
    /// - Parameters:
    ///   - members: Names of members, each with the suffix of its input.
    ///   - absent: The member of an input that the server did not send, which is not filled; nil leaves it out.
    /// - Returns: The object of the inputs.
    func whole(_ members: KeyValuePairs<String, String>, absent: JSONValue? = nil) -> JSONValue? {
        guard isChanged else { return nil }
        var object = JSONObject()
        for (member, suffix) in members { object[member] = value(raw.input(endingWith: suffix)) ?? absent }
        return .object(object)
    }

    /// An object of the inputs that were changed, by member; nil if none was.
    ///
    /// - Parameter members: Names of members, each with the suffix of its input.
    /// - Returns: The object of the changed inputs.
    func object(_ members: KeyValuePairs<String, String>) -> JSONValue? {
        var object = JSONObject()
        for (member, suffix) in members { object[member] = changed(suffix) }
        return object.isEmpty ? nil : .object(object)
    }
}

/// A callback whose answer is not simply the value of its first input.
protocol FilledCallback: JourneyCallback {
    /// The answer that fills the inputs like this; nil if the question was left as received.
    func answer(filled: FilledInputs) -> JSONValue?
}

extension JourneyCallback {
    /// The answer that fills the inputs like this, for a callback of any type; nil for a question left as received.
    func answer(in filled: FilledInputs) -> JSONValue? {
        if let own = self as? any FilledCallback { return own.answer(filled: filled) }
        return filled.isChanged ? filled.values.first : nil
    }
}
