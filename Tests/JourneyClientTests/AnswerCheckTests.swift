import JSON
import Orchestrate
import Testing

@testable import JourneyClient

@Suite("The checks that callback types share")
struct AnswerCheckTests {
    @Test func `take a number, whole or not, for a number`() throws {
        for text in ["5", "-1", "2.5", "1e3"] { #expect(try AnswerCheck.number(JSONValue(parsing: text)) == nil) }
        for answer: JSONValue in ["5", true, nil, [:]] { #expect(AnswerCheck.number(answer)?.code == .wrongType) }
        #expect(AnswerCheck.number(Optional<JSONValue>.none)?.code == .required)
    }

    @Test func `take nothing but true and false for a truth value`() {
        for answer: JSONValue in [true, false] { #expect(AnswerCheck.boolean(answer) == nil) }
        for answer: JSONValue in ["true", 1, nil, []] { #expect(AnswerCheck.boolean(answer)?.code == .wrongType) }
        #expect(AnswerCheck.boolean(Optional<JSONValue>.none)?.code == .required)
    }

    @Test(arguments: [
        (#"{"a":"x","b":1}"#, AnswerProblem.Code?.none), (#"{"a":"x"}"#, nil), (#"{"b":1}"#, .required),
        (#"{"a":1,"b":"x"}"#, .wrongType), (#"{"a":"x","b":"x"}"#, .wrongType), (#"{"a":"x","c":1}"#, .wrongType),
        ("[]", .wrongType),
    ])
    func `take an object whose members are what they have to be`(answer: String, code: AnswerProblem.Code?) throws {
        let fault = AnswerCheck.object(
            try JSONValue(parsing: answer),
            ["a": { AnswerCheck.text($0) }, "b": AnswerCheck.optional(AnswerCheck.number)])
        #expect(fault?.code == code)
    }

    @Test func `tell every fault of an object, in the order of its members, and quote none of it`() throws {
        let fault = AnswerCheck.object(
            ["c": "secret", "b": ["x": "secret"], "d": ["e": 5]],
            [
                "a": { AnswerCheck.text($0) }, "b": AnswerCheck.optional(AnswerCheck.number),
                "d": { AnswerCheck.object($0 ?? .null, ["e": { AnswerCheck.text($0) }, "f": AnswerCheck.boolean]) },
            ])
        let all = try #require(fault).all
        #expect(all.map(\.code) == [.wrongType, .required, .wrongType, .wrongType, .required])
        #expect(
            all.map(\.message) == [
                "the answer has a member that the question does not know", "a: an answer is missing",
                "b: the answer must be a number", "d: e: the answer must be a string", "d: f: an answer is missing",
            ])
        #expect(all.allSatisfy { $0.further.isEmpty })
    }
}
