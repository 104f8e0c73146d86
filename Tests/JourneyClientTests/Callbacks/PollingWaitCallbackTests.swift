import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A PollingWaitCallback")
struct PollingWaitCallbackTests {
    private func wait(_ time: String) -> String {
        callback(
            "PollingWaitCallback", output("waitTime", time) + "," + output("message", #""Look at your phone""#),
            input: nil)
    }

    @Test(arguments: [
        (#""8000""#, 8000), (#""1000""#, 1000), ("2500", 2500), ("499", 500), ("500", 500), (#""300000""#, 300_000),
        ("300001", 300_000), (#""99999999999999""#, 300_000), ("-1", 500), ("0", 500), (#""soon""#, 8000),
        (#""""#, 8000),
        ("null", 8000), ("1.5", 8000), ("true", 8000), (#""99999999999999999999""#, 8000),
    ])
    func `shows how long to wait, which is held within bounds, and the message`(time: String, number: Int) throws {
        #expect(
            try shown(wait(time))
                == #"{"id":"PollingWaitCallback-0","type":"PollingWaitCallback","waitTime":\#(number),"message":"Look at your phone"}"#
        )
    }

    @Test func `says eight seconds and nothing where the server says nothing`() throws {
        #expect(
            try shown(callback("PollingWaitCallback", "", input: nil))
                == #"{"id":"PollingWaitCallback-0","type":"PollingWaitCallback","waitTime":8000,"message":""}"#)
    }

    @Test func `takes no answer`() throws {
        #expect(try faults(wait("1"), "x") == [.notAnswerable])
    }

    @Test func `goes back as it came when it is pressed`() throws {
        let page = try page(wait(#""8000""#), callback("ConfirmationCallback", #"{"name":"options","value":["Exit"]}"#))
        let body = try page.body(answering: Answers([:], action: "PollingWaitCallback-0"))
        #expect(body == page.step)
    }
}
