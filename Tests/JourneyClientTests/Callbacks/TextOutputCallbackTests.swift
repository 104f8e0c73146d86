import JSON
import JourneyClient
import Testing

@Suite("A TextOutputCallback")
struct TextOutputCallbackTests {
    private func message(_ type: String) -> String {
        callback("TextOutputCallback", output("message", #""Hi""#) + "," + output("messageType", type), input: nil)
    }

    @Test(arguments: [(#""1""#, 1), (#""0""#, 0), ("2", 2), ("77", -1)])
    func `shows its message and how serious it is`(type: String, number: Int) throws {
        #expect(
            try shown(message(type))
                == #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"Hi","messageType":\#(number)}"#
        )
    }

    @Test func `takes no answer`() throws {
        #expect(try faults(message("0"), "x") == [.notAnswerable])
    }
}
