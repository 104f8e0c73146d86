import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A ConfirmationCallback")
struct ConfirmationCallbackTests {
    @Test func `shows options of its own`() throws {
        let callback = callback(
            "ConfirmationCallback",
            [output("options", #"["Exit"]"#), output("optionType", "-1"), output("defaultOption", "0")]
                .joined(separator: ","), input: "100")
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["Exit"],"optionType":-1,"defaultOption":0,"answer":{"type":"integer","oneOf":[{"const":0,"title":"Exit"}],"default":0}}"#
        )
    }

    @Test func `shows the options that its type stands for, and no default that is none`() throws {
        let callback = callback(
            "ConfirmationCallback", output("optionType", "1") + "," + output("defaultOption", "5"))
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["Yes","No","Cancel"],"optionType":1,"answer":{"type":"integer","oneOf":[{"const":0,"title":"Yes"},{"const":1,"title":"No"},{"const":2,"title":"Cancel"}]}}"#
        )
    }

    @Test func `shows what each option sends where that is not its position`() throws {
        let callback = callback(
            "ConfirmationCallback", output("optionType", "2") + "," + output("defaultOption", "2"))
        #expect(
            try shown(callback)
                == #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["OK","Cancel"],"optionType":2,"optionValues":[3,2],"defaultOption":2,"answer":{"type":"integer","oneOf":[{"const":3,"title":"OK"},{"const":2,"title":"Cancel"}],"default":2}}"#
        )
    }

    @Test func `takes what one of its options sends`() throws {
        #expect(try faults(callback("ConfirmationCallback", output("options", #"["a"]"#)), 100) == [.notOffered])
        let okAndCancel = callback("ConfirmationCallback", output("optionType", "2"))
        #expect(try faults(okAndCancel, 0) == [.notOffered])
        #expect(try faults(okAndCancel, true) == [.wrongType])
        #expect(try faults(okAndCancel, 3) == [])
    }
}
