import JSON
import Testing

@Suite("A JSON value")
struct JSONValueTests {
    @Test("gives what it is and nothing else")
    func accessors() throws {
        let value = try JSONValue(parsing: #"{"s":"x","n":5,"t":true,"z":null,"a":[1,"2"],"o":{"p":{"q":7}}}"#)
        #expect(value["s"]?.string == "x")
        #expect(value["n"]?.int == 5)
        #expect(value["t"]?.bool == true)
        #expect(value["z"]?.isNull == true)
        #expect(value["a"]?[1]?.string == "2")
        #expect(value["o"]?["p"]?["q"]?.int == 7)
        #expect(value["missing"] == nil)
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value[0] == nil)
    }

    @Test("never takes one kind for another")
    func kinds() {
        #expect(JSONValue.number(JSONNumber(1)).bool == nil)
        #expect(JSONValue.string("true").bool == nil)
        #expect(JSONValue.string("1").int == nil)
        #expect(JSONValue.bool(true).int == nil)
        #expect(JSONValue.null.string == nil)
        #expect(JSONValue.null["a"] == nil)
        #expect(JSONValue.array([]).object == nil)
        #expect(JSONValue.bool(true) != 1)
        #expect(JSONValue.string("1") != 1)
        #expect(JSONValue.null != false)
    }

    @Test("written as a literal is the value it looks like")
    func literals() throws {
        let value: JSONValue = ["b": [1, -2, "x", true, nil], "a": ["c": [:]]]
        #expect(value.text == #"{"b":[1,-2,"x",true,null],"a":{"c":{}}}"#)
        #expect(JSONValue(5).text == "5")
    }

    @Test("is equal whatever the order of members, but not of elements")
    func equality() throws {
        let left = try JSONValue(parsing: #"{"a":1,"b":{"c":2,"d":3}}"#)
        #expect(left == (try JSONValue(parsing: #"{"b":{"d":3,"c":2},"a":1}"#)))
        #expect(left != (try JSONValue(parsing: #"{"a":1,"b":{"c":2}}"#)))
        #expect(left != (try JSONValue(parsing: #"{"a":1,"b":{"c":2,"e":3}}"#)))
        #expect(left != (try JSONValue(parsing: #"{"a":1}"#)))
        #expect(left != (try JSONValue(parsing: #"{"a":1,"b":null}"#)))
        #expect(JSONValue.array([1, 2]) != .array([2, 1]))
    }

    @Test("tells strings apart that are only canonically equivalent")
    func exactStrings() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        let object: JSONObject = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(object.count == 2)
        #expect(object["e\u{301}"]?.int == 2)
        #expect(object["\u{E9}"]?.int == 1)
    }

    @Test("survives a coder with order and spelling")
    func codable() throws {
        let value = try JSONValue(parsing: #"{"z":3.0,"a":[1.10]}"#)
        #expect(try roundTrip(value).text == value.text)
    }

    /// Through a coder that knows single strings only: nothing else may be asked of it.
    private func roundTrip(_ value: JSONValue) throws -> JSONValue {
        let box = StringBox()
        try value.encode(to: StringCoder(box: box))
        return try JSONValue(from: StringCoder(box: box))
    }
}

@Suite("A JSON object")
struct JSONObjectTests {
    @Test("replaces in place, appends at the end, removes by nil")
    func editing() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = "two"
        object["d"] = nil
        object["e"] = 5
        object["a"] = nil
        #expect(object.text == #"{"b":"two","c":3,"e":5}"#)
        #expect(object.names == ["b", "c", "e"])
        #expect(object.count == 3)
        object["c"] = .null
        #expect(object["c"]?.isNull == true)
        #expect(object.count == 3)
    }

    @Test("keeps the last value of a name given twice")
    func repeated() {
        #expect(JSONObject([("a", 1), ("b", 2), ("a", 3)]).text == #"{"a":3,"b":2}"#)
    }

    @Test("walks its members in order")
    func walking() {
        let object: JSONObject = ["z": 1, "y": 2]
        #expect(object.map { "\($0.name)=\($0.value.text)" } == ["z=1", "y=2"])
        #expect(JSONObject().isEmpty)
    }
}
