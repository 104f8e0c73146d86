import JSON
import Testing

@Suite("The JSON grammar")
struct GrammarTests {
    @Test("accepts and writes back", arguments: AcceptedInput.all)
    func accepts(_ accepted: AcceptedInput) throws {
        let value = try JSONValue(parsing: accepted.input)
        #expect(value.serialized() == Array(accepted.output.utf8))
        #expect(try JSONValue(parsing: value.serialized()) == value)
    }

    @Test("is, once parsed, what would be put together of the same values", arguments: AcceptedInput.all)
    func isTheSameMade(_ accepted: AcceptedInput) throws {
        let parsed = try JSONValue(parsing: accepted.input)
        let made = putTogether(parsed)
        #expect(made == parsed)
        #expect(parsed == made)
        #expect(made.serialized() == parsed.serialized())
        guard let object = parsed.object else { return }
        #expect(object.names == made.object?.names)
        #expect(object.names.allSatisfy { object[$0] == made[$0] })
        var changed = object
        changed["new in it"] = true
        #expect(changed.count == object.count + 1)
        #expect(object["new in it"] == nil)
        changed["new in it"] = nil
        #expect(changed == object)
        #expect(changed.serialized() == object.serialized())
    }

    /// The same value with objects of its own in place of those of the document.
    private func putTogether(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(putTogether))
        case .object(let object): .object(JSONObject(object.map { ($0.name, putTogether($0.value)) }))
        default: value
        }
    }

    @Test("keeps nothing of the white space and needless escapes around values that come as they are")
    func writesCompactly() throws {
        let text = #" { "a" : {"b":[1,{"c":"x"}]}, "d":{"e":"\/","f":"g"} ,"h":[ ],"i":{"j":{ }}}"#
        let value = try JSONValue(parsing: text)
        #expect(value.text == #"{"a":{"b":[1,{"c":"x"}]},"d":{"e":"/","f":"g"},"h":[],"i":{"j":{}}}"#)
        #expect(value["a"]?.text == #"{"b":[1,{"c":"x"}]}"#)
        #expect(value["d"]?.text == #"{"e":"/","f":"g"}"#)
        #expect(value["a"]?["b"]?[1]?["c"] == "x")
    }

    @Test("compares many members in another order, and in another spelling, by their names")
    func comparesMany() throws {
        let names = (0..<400).map { "a\($0)" }
        let plain = names.map { "\"\($0)\":1" }.joined(separator: ",")
        let spelled = names.reversed().map { "\"\\u0061\($0.dropFirst())\":1" }.joined(separator: ",")
        let (left, right) = (try JSONValue(parsing: "{\(plain)}"), try JSONValue(parsing: "{\(spelled)}"))
        #expect(left == right)
        #expect(right == left)
        #expect(try left != JSONValue(parsing: "{\(spelled.replacing("\\u0061399\":1", with: "\\u0061399\":2"))}"))
        #expect(try left != JSONValue(parsing: "{\(spelled.replacing("\\u0061399\"", with: "b\""))}"))
    }

    @Test("is the same for the scanner: accepts", arguments: AcceptedInput.all)
    func scannerAccepts(_ accepted: AcceptedInput) throws {
        let scanner = try JSONScanner(accepted.input)
        #expect(try scanner.value(at: scanner.root) == JSONValue(parsing: accepted.input))
    }

    @Test("refuses", arguments: RefusedInput.all)
    func refuses(_ refused: RefusedInput) {
        #expect(throws: refused.error) { try JSONValue(parsing: refused.input) }
        #expect(throws: refused.error) { try JSONValue(parsing: refused.input[...]) }
    }

    @Test("is the same for the scanner: refuses", arguments: RefusedInput.all)
    func scannerRefuses(_ refused: RefusedInput) {
        #expect(throws: refused.error) { try JSONScanner(refused.input) }
    }

    @Test("refuses every proper prefix of a document and never reads past it")
    func prefixes() throws {
        let document = Array(#"{"a":[1,-2.5e+3,"x\u00e9\uD834\uDD1E\n",true,false,null,{"b":"é€😀"}],"":{}}"#.utf8)
        _ = try JSONValue(parsing: document)
        for end in document.indices {
            let prefix = Array(document[..<end])
            #expect(throws: JSONError.self) { try JSONValue(parsing: prefix) }
            #expect(throws: JSONError.self) { try JSONScanner(prefix) }
        }
    }

    @Test("gives parser and scanner one verdict on every single-byte change of a document")
    func mutations() {
        let document = Array(#"{"a":[1,-2.5e+3,"x\u00e9\uD834\uDD1E\n",true,null],"b":"é€😀"}"#.utf8)
        for position in document.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = document
                changed[position] = byte
                let parsed = Result { () throws(JSONError) in try JSONValue(parsing: changed) }
                let scanned = Result { () throws(JSONError) in try JSONScanner(changed) }
                switch (parsed, scanned) {
                case (.success(let value), .success): #expect((try? JSONValue(parsing: value.text)) == value)
                case (.failure(let left), .failure(let right)): #expect(left == right)
                default: Issue.record("different verdicts at \(position) with \(byte)")
                }
            }
        }
    }

    @Test("has more than 150 cases, refusals in the majority")
    func size() {
        #expect(AcceptedInput.all.count + RefusedInput.all.count > 150)
        #expect(RefusedInput.all.count > AcceptedInput.all.count)
    }
}
