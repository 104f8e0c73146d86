import JSON
import Testing

@Suite("A JSON value")
struct JSONValueTests {
    @Test("keeps member order and number spelling through parsing and writing")
    func carriesUnchanged() throws {
        let text = #"{"z":3.0,"a":[1,1.10,1E+2,-0,true,null],"m":{"y":"\u00e9\n","x":""}}"#
        let value = try JSONValue(parsing: text)
        #expect(value.text == #"{"z":3.0,"a":[1,1.10,1E+2,-0,true,null],"m":{"y":"é\n","x":""}}"#)
        #expect(value.object?.names == ["z", "a", "m"])
    }
}
