package import JSON

/// Checks that several types share.
package enum AnswerCheck {
    /// The longest text answer, in bytes of UTF-8.
    package static let longestText = 8192
    /// The longest token, hidden value or profile, in bytes of UTF-8: a WebAuthn outcome with its certificates fits.
    package static let longestToken = 65_536

    /// What is wrong with a text.
    package static func text(_ answer: JSONValue?, limit: Int = longestText) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard let text = answer.string else { return AnswerRefusal(.wrongType, "the answer must be a string") }
        return text.utf8.count <= limit ? nil : tooLong(limit)
    }

    /// What is wrong with a token.
    package static func token(_ answer: JSONValue?) -> AnswerRefusal? { text(answer, limit: longestToken) }

    /// What is wrong with one of some whole numbers.
    package static func choice(_ answer: JSONValue, of allowed: [Int64]) -> AnswerRefusal? {
        guard let index = answer.int else { return AnswerRefusal(.wrongType, "the answer must be a whole number") }
        return allowed.contains(index) ? nil : AnswerRefusal(.notOffered, "the answer is none of the options")
    }

    /// What is wrong with one of some texts.
    package static func choice(_ answer: JSONValue?, of allowed: [String]) -> AnswerRefusal? {
        if let refusal = text(answer) { return refusal }
        return allowed.contains { JSONValue.string($0) == answer }
            ? nil : AnswerRefusal(.notOffered, "the answer is none of what the page offers")
    }

    /// What is wrong with a number, whole or not.
    package static func number(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard case .number(let number) = answer else { return AnswerRefusal(.wrongType, "the answer must be a number") }
        return number.double == nil ? AnswerRefusal(.outOfRange, "the number is beyond all bounds") : nil
    }

    /// What is wrong with a truth value.
    package static func boolean(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        return answer.bool == nil ? AnswerRefusal(.wrongType, "the answer must be true or false") : nil
    }

    /// What is wrong with an object that goes to the server as a text of JSON.
    package static func document(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard answer.object != nil else { return AnswerRefusal(.wrongType, "the answer must be an object") }
        return answer.serialized().count <= longestToken ? nil : tooLong(longestToken)
    }

    /// What is wrong with an object answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - members: What each of its members has to be, in the order in which faults are looked for; the check gets nil for
    ///     one that is missing.
    /// - Returns: Every fault, those of members with their name in front; nil when there is none.
    package static func object(
        _ answer: JSONValue, _ members: KeyValuePairs<String, (JSONValue?) -> AnswerRefusal?>
    ) -> AnswerRefusal? {
        object(answer, each: Array(members))
    }

    /// What is wrong with an object answer whose members are known only now, see `object(_:_:)`.
    package static func object(
        _ answer: JSONValue, each members: [(key: String, value: (JSONValue?) -> AnswerRefusal?)]
    ) -> AnswerRefusal? {
        guard let object = answer.object else { return AnswerRefusal(.wrongType, "the answer must be an object") }
        let isKnown = object.names.allSatisfy { name in members.contains { $0.key == name } }
        let unknown = AnswerRefusal(.wrongType, "the answer has a member that the question does not know")
        let faults = members.flatMap { name, check in
            (check(object[name])?.all ?? []).map { AnswerRefusal($0.code, "\(name): \($0.message)") }
        }
        return AnswerRefusal((isKnown ? [] : [unknown]) + faults)
    }

    /// A check of what may be missing.
    package static func optional(_ check: @escaping (JSONValue?) -> AnswerRefusal?) -> (JSONValue?) -> AnswerRefusal? {
        { answer in answer.flatMap { check($0) } }
    }

    /// The answer that is longer than it may be.
    package static func tooLong(_ limit: Int) -> AnswerRefusal {
        AnswerRefusal(.tooLong, "the answer is longer than \(limit) bytes")
    }
}
