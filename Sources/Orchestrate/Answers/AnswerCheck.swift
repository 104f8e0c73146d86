package import JSON

/// Checks of answers that several question types share.
package enum AnswerCheck {
    /// The longest text answer, in bytes of UTF-8.
    package static let longestText = 8192
    /// The longest token, hidden value or profile, in bytes of UTF-8: a WebAuthn outcome with its certificates fits.
    package static let longestToken = 65_536

    /// Checks a text answer; nil if it is a string within the limit.
    package static func text(_ answer: JSONValue?, limit: Int = longestText) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard let text = answer.string else { return AnswerRefusal(.wrongType, "the answer must be a string") }
        return text.utf8.count <= limit ? nil : tooLong(limit)
    }

    /// Checks a token answer: a text of at most `longestToken` bytes.
    package static func token(_ answer: JSONValue?) -> AnswerRefusal? { text(answer, limit: longestToken) }

    /// Checks an answer that must be one of the given whole numbers.
    package static func choice(_ answer: JSONValue, of allowed: [Int64]) -> AnswerRefusal? {
        guard let index = answer.int else { return AnswerRefusal(.wrongType, "the answer must be a whole number") }
        return allowed.contains(index) ? nil : AnswerRefusal(.notOffered, "the answer is none of the options")
    }

    /// Checks an answer that must be one of the given texts.
    package static func choice(_ answer: JSONValue?, of allowed: [String]) -> AnswerRefusal? {
        if let refusal = text(answer) { return refusal }
        return allowed.contains { JSONValue.string($0) == answer }
            ? nil : AnswerRefusal(.notOffered, "the answer is none of what the page offers")
    }

    /// Checks a number answer, whole or not; one that does not fit a `Double` is out of range.
    package static func number(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard case .number(let number) = answer else { return AnswerRefusal(.wrongType, "the answer must be a number") }
        return number.double == nil ? AnswerRefusal(.outOfRange, "the number is beyond all bounds") : nil
    }

    /// Checks an answer that must be true or false.
    package static func boolean(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        return answer.bool == nil ? AnswerRefusal(.wrongType, "the answer must be true or false") : nil
    }

    /// Checks an object answer that is sent to the provider as JSON text; at most `longestToken` bytes when serialized.
    package static func document(_ answer: JSONValue?) -> AnswerRefusal? {
        guard let answer else { return AnswerRefusal(.required, "an answer is missing") }
        guard answer.object != nil else { return AnswerRefusal(.wrongType, "the answer must be an object") }
        return answer.serialized().count <= longestToken ? nil : tooLong(longestToken)
    }

    /// Checks an object answer, member by member.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - members: The check of each member, in the order in which faults are reported; a check gets nil for a missing
    ///     member.
    /// - Returns: Every fault, with the name of the faulty member in front of its message; nil when there is none.
    package static func object(
        _ answer: JSONValue, _ members: KeyValuePairs<String, (JSONValue?) -> AnswerRefusal?>
    ) -> AnswerRefusal? {
        object(answer, each: Array(members))
    }

    /// Checks an object answer whose members are known only at run time, see `object(_:_:)`.
    package static func object(
        _ answer: JSONValue, each members: [(key: String, value: (JSONValue?) -> AnswerRefusal?)]
    ) -> AnswerRefusal? {
        guard let object = answer.object else { return AnswerRefusal(.wrongType, "the answer must be an object") }
        let isKnown = object.names.allSatisfy { name in members.contains { $0.key == name } }
        let unknown = AnswerRefusal(.wrongType, "the answer has a member that the question does not know")
        let refusals = members.flatMap { name, check in
            (check(object[name])?.all ?? []).map { AnswerRefusal($0.code, "\(name): \($0.message)") }
        }
        return AnswerRefusal((isKnown ? [] : [unknown]) + refusals)
    }

    /// Makes a check accept a missing answer.
    package static func optional(_ check: @escaping (JSONValue?) -> AnswerRefusal?) -> (JSONValue?) -> AnswerRefusal? {
        { answer in answer.flatMap { check($0) } }
    }

    /// The refusal of an answer that is longer than `limit` bytes.
    package static func tooLong(_ limit: Int) -> AnswerRefusal {
        AnswerRefusal(.tooLong, "the answer is longer than \(limit) bytes")
    }
}
