import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A SuspendedTextOutputCallback")
struct SuspendedTextOutputCallbackTests {
    private func suspended(_ message: String) -> String {
        callback("SuspendedTextOutputCallback", output("message", message), input: nil)
    }

    @Test func `shows its message`() throws {
        for (message, text) in [(#""Look into your mail.""#, "Look into your mail."), ("null", "")] {
            #expect(
                try shown(suspended(message))
                    == #"{"id":"SuspendedTextOutputCallback-0","type":"SuspendedTextOutputCallback","message":"\#(text)"}"#
            )
        }
    }

    @Test func `takes no answer`() throws {
        #expect(try faults(suspended(#""x""#), "x") == [.notAnswerable])
    }
}
