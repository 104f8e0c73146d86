import Testing

@testable import JSON

@Suite("Members of a set of names")
struct JSONMembersTests {
    private static let names = ["iss", "typ", "scope", "a", "aa", "client_id", "é", "x-0123456789"]
    private let set = JSONNames(Self.names)

    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: text).object)
    }

    private func expectSame(_ object: JSONObject) {
        let members = JSONMembers(object, set)
        for (number, name) in Self.names.enumerated() {
            let member = object[name]
            #expect(members[number] == member && members.has(number) == (member != nil), "\(name)")
            #expect(members.kind(number) == member?.kind, "\(name)")
            #expect(members.string(number) == member?.string && members.int(number) == member?.int, "\(name)")
        }
    }

    @Test(
        "are those that are found by name:",
        arguments: [
            "{}", #"{"iss":"a","typ":null,"scope":["a","b"],"a":{"iss":"inner"},"other":1}"#,
            // Names with escapes are the names that they spell.
            #"{"\u0069ss":"escaped","t\u0079p":true,"\u00e9":1,"i\u0000ss":2,"aa\u0061":3}"#,
            #"{"ISS":"a","iss ":"b"," iss":"c","is":"d","isss":"e","":"f"}"#,
            #"{"a":-0,"aa":1.0,"iss":1e2,"typ":999999999999999999,"scope":9223372036854775807,"é":9223372036854775808}"#,
            #"{"a":-9223372036854775808,"aa":1e400,"iss":0.1,"typ":1000000000000000000,"scope":30e-1,"é":-1}"#,
            #"{ "client_id" : "blanks" , "x-0123456789" : [ { "iss" : "deep" } ] }"#,
            "{\"scope\":" + String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
                + ",\"iss\":\"after\"}",
        ])
    func byName(text: String) throws {
        let read = try object(text)
        expectSame(read)
        expectSame(JSONObject(read.map { ($0.name, $0.value) }))
    }

    @Test(
        "are compared as texts byte for byte, or in any case of ASCII letters:",
        arguments: [
            (#""bearer""#, true, true), (#""Bearer""#, false, true), (#""BEARER""#, false, true),
            (#""b\u0065arer""#, true, true), (#""b\u0045arer""#, false, true), (#""bearer ""#, false, false),
            (#""beare""#, false, false), (#""\u0000bearer""#, false, false), (#""ｂearer""#, false, false),
            (#"["bearer"]"#, false, false), ("null", false, false), ("1", false, false), (#""{earer""#, false, false),
        ])
    func texts(value: String, exact: Bool, inAnyCase: Bool) throws {
        let read = try object("{\"typ\":\(value)}")
        for object in [read, JSONObject(read.map { ($0.name, $0.value) })] {
            let members = JSONMembers(object, set)
            #expect(members.isText(1, "bearer") == exact)
            #expect(members.isText(1, "bearer", ignoringCase: true) == inAnyCase)
            #expect(!members.isText(0, "bearer") && !members.isText(0, ""))
        }
    }

    @Test("are told apart where the names share length, first and last byte")
    func sharedSlots() throws {
        let names = (10..<100).map { "n\($0)m" }
        let set = JSONNames(names)
        let object = JSONObject(names.reversed().map { ($0, JSONValue.string($0)) })
        let read = try #require(try JSONValue(parsing: JSONValue.object(object).serialized()).object)
        for object in [object, read] {
            let members = JSONMembers(object, set)
            for (number, name) in names.enumerated() { #expect(members.string(number) == name) }
        }
        #expect(!JSONMembers(["nxxm": 1], set).has(0) && set.count == 90)
    }
}
