internal import Basics
internal import JSON
internal import Orchestrate

/// The form of an answer by a program of the page: texts, each for its own input, optional unless `complete` says
/// otherwise.
struct ProgramAnswer {
    /// The members, each with its greatest length in bytes.
    let members: KeyValuePairs<String, Int>
    /// Sets of members of which at least one set has to be complete; empty if all members may be missing.
    var complete: [[String]] = []
    /// The names of further inputs and hidden values, for native applications only; they are neither shown nor filled.
    var notOfPages: [String] = []

    /// An object of texts that the page fills without asking the user.
    var schema: JSONObject {
        var properties = JSONObject()
        for (name, limit) in members { properties[name] = .object(AnswerSchema.text("", limit: limit)) }
        var schema = AnswerSchema.object(properties, required: complete.count == 1 ? complete[0] : [])
        if complete.count != 1 { schema["required"] = nil }
        if complete.count > 1 {
            schema["anyOf"] = .array(complete.map { ["required": .array($0.map { .string($0) })] })
        }
        return AnswerSchema.hidden(schema)
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        let refusal = AnswerCheck.object(
            answer,
            each: members.map { name, limit in
                (key: name, value: AnswerCheck.optional { AnswerCheck.text($0, limit: limit) })
            })
        let isComplete = complete.isEmpty || complete.contains { $0.allSatisfy { answer[$0] != nil } }
        guard !isComplete, answer.object != nil else { return refusal }
        return AnswerRefusal((refusal?.all ?? []) + [AnswerRefusal(.required, "a part of the answer is missing")])
    }

    /// Fills each input whose name ends with the name of a member.
    func fill(_ answer: JSONValue, _ raw: RawCallback, _ inputs: inout CallbackInputs) {
        for (name, _) in members {
            if let value = answer[name] { inputs.set(raw.input(endingWith: name), value) }
        }
    }

    /// The positions of the hidden values, by member and by name of `notOfPages`.
    ///
    /// A hidden value belongs to the longest name that its id contains. Of several hidden values for one name the first
    /// counts.
    func siblings(on page: CallbackPage) -> [String: Int] {
        let names = members.map(\.key) + notOfPages
        var found: [String: Int] = [:]
        for (position, id) in page.hiddenValues {
            let contained = names.filter { id.firstRange(ofText: $0) != nil }
            guard let name = contained.max(by: { $0.utf8.count < $1.utf8.count }), found[name] == nil else { continue }
            found[name] = position
        }
        return found
    }
}
