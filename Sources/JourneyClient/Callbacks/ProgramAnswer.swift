internal import Basics
internal import JSON
internal import Orchestrate

/// Answers of programs in the page: texts, each for an input of its own, all of which may be missing.
struct ProgramAnswer {
    /// The members with the longest each may be, in bytes.
    let members: KeyValuePairs<String, Int>
    /// Sets of members of which one has to be complete; none where all may be missing.
    var complete: [[String]] = []
    /// What inputs and hidden values there are besides, for programs that are no page: they are neither shown nor filled.
    var notOfPages: [String] = []

    /// Texts that no page draws.
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

    /// What is wrong with an answer.
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        let faults = AnswerCheck.object(
            answer,
            each: members.map { name, limit in
                (key: name, value: AnswerCheck.optional { AnswerCheck.text($0, limit: limit) })
            })
        let isComplete = complete.isEmpty || complete.contains { $0.allSatisfy { answer[$0] != nil } }
        guard !isComplete, answer.object != nil else { return faults }
        return AnswerRefusal((faults?.all ?? []) + [AnswerRefusal(.required, "a part of the answer is missing")])
    }

    /// Fills each input whose name ends like a member.
    func fill(_ answer: JSONValue, _ raw: RawCallback, _ inputs: inout CallbackInputs) {
        for (name, _) in members {
            if let value = answer[name] { inputs.set(raw.input(endingWith: name), value) }
        }
    }

    /// The position of the hidden value for each member, and for what is not of pages: the one whose id contains it, and no
    /// longer one of them that contains it too; of several the first that is not another's.
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
