import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

@Suite("The policy of a password")
struct PasswordPolicyTests {
    @Test(
        "counts in Unicode scalars, and repeats in a row alone",
        arguments: [
            (#"{"length":{"min":3}}"#, "é🎉a", ""), (#"{"length":{"max":2}}"#, "abc", "length"),
            (#"{"length":{"max":2}}"#, "", ""), (#"{"length":{}}"#, "abc", ""),
            (#"{"minUniqueCharacters":3}"#, "aabb", "unique-characters"),
            (#"{"maxRepeatedCharacters":2}"#, "ababab", ""),
            (#"{"maxRepeatedCharacters":2}"#, "baaa", "repeated-characters"),
            (#"{"minCharacters":{"é":1}}"#, "e\u{301}", "minimum-characters"), (#"{"minCharacters":{"é":1}}"#, "é", ""),
            (#"{"minCharacters":{"ab":2,"01":1}}"#, "a", "minimum-characters minimum-characters"),
            (#"{"history":{"count":6},"excludesProfileData":true,"notSimilarToCurrent":true}"#, "a", ""),
            (#"{"length":"8","minUniqueCharacters":-1,"maxRepeatedCharacters":null}"#, "aaa", ""),
        ])
    func faults(_ policy: String, _ password: String, _ codes: String) throws {
        let policy = try #require(PasswordPolicy(try JSONValue(parsing: policy)))
        #expect(policy.refusals(of: password).map(\.code.rawValue).joined(separator: " ") == codes)
    }

    @Test func `has no more sets of characters than a password can be held against`() throws {
        let sets = (0..<10_000).map { #""\#($0)":1"# }.joined(separator: ",")
        let policy = try #require(PasswordPolicy(try JSONValue(parsing: #"{"minCharacters":{\#(sets)}}"#)))
        #expect(policy.document["minCharacters"]?.object?.count == PasswordPolicy.mostSets)
        #expect(policy.refusals(of: "-").count == PasswordPolicy.mostSets)
    }
}
