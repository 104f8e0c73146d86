import JSON
import JourneyClient
import Orchestrate
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

    /// As AM writes it: a script that writes a page, one code a line.
    private static let recovery = #"""
        var place = document.getElementById("wrapper");
        place.innerHTML = "<div>\n" +
            "    <h4>You must make a copy of these recovery codes.</h4>\n" +
            "<div class=\"text-center\">\n" +
            "uJdzNTuPfW\n" +
            "</div>\n" +
            "RF2r-LPqxNp\n" +
            "<p>named: <em>Anna\x27s key</em></p>\n" + "</div>";
        """#

    private func script(_ text: String) -> String {
        callback(
            "TextOutputCallback",
            output("message", JSONValue.string(text).text) + "," + output("messageType", #""4""#), input: nil)
    }

    @Test func `shows the recovery codes that a script holds, and nothing else of it`() throws {
        #expect(
            try shown(script(Self.recovery))
                == #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"uJdzNTuPfW\nRF2r-LPqxNp","messageType":0,"specialised":"recovery_codes","codes":["uJdzNTuPfW","RF2r-LPqxNp"],"deviceName":"Anna's key"}"#
        )
        #expect(
            try shown(script("show('recovery codes', canary)"))
                == #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"The recovery codes could not be read.","messageType":2,"specialised":"recovery_codes","codes":[]}"#
        )
    }

    @Test func `reads one recovery code a line`() throws {
        let text = #"""
            show("recovery codes");
            "headline" + "uJdzNTuPfW\n" +
            "RF2r-LPqxNp\n" +
            "unfinished
            """#
        #expect(try shown(script(text)).contains(#""codes":["RF2r-LPqxNp"]"#))
    }

    private static let drawing =
        #"window.QRCodeReader.createCode({ id: 'callback_0', text: 'otpauth\x3A\x2F\x2Ftotp\x2FQuay\x3Aebb\x3Fsecret\x3DABC\u0026digits=6', version: '20' });"#

    @Test func `shows the address that a script of an older server draws`() throws {
        let uri = "otpauth://totp/Quay:ebb?secret=ABC&digits=6"
        #expect(
            try shown(script(Self.drawing))
                == #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"\#(uri)","messageType":0,"specialised":"qr_code","uri":"\#(uri)"}"#
        )
        let hidden = callback("HiddenValueCallback", output("value", #""pushauth://push/x""#))
        #expect(try page(script(Self.drawing), hidden).questions.map(\.type) == ["HiddenValueCallback"])
    }

    @Test(arguments: [
        "", "'", "text: 'https://canary'", #"text: 'otpauth\x3"#, #"'\"#, #"'\x"#, #"'\xZZ'"#, #"'\uD800otpauth://'"#,
    ])
    func `shows no script that it cannot read, and still sends it back`(text: String) throws {
        let page = try page(script(text), callback("NameCallback"))
        #expect(page.questions.map(\.type) == ["NameCallback"])
        #expect(try page.body(answering: Answers())["callbacks"]?[0]?["output"]?[0]?["value"] == .string(text))
    }

    @Test func `says of an image that it is one`() throws {
        let image = callback(
            "TextOutputCallback",
            output("message", #""data:image/png;base64,AA==""#) + "," + output("messageType", "0"),
            input: nil)
        let document = try JSONValue(parsing: shown(image))
        #expect(document["specialised"] == "qr_code" && document["uri"] == "data:image/png;base64,AA==")
    }
}
