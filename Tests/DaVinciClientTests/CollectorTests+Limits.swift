import JSON
import Orchestrate
import TestSupport
import Testing

@testable import DaVinciClient

/// What a collector shows at most.
extension CollectorTests {
    @Test func `shows no ids of policies, and of a credential's options the browser's alone`() throws {
        let unknown = try ScriptedPingOne.parsed(
            #"{"type":"NEW","key":"n","passwordPolicy":{"id":"policy-7","length":{"min":8}},"text":"t"}"#)
        #expect(unknown.collectors[0].document["raw"]?["text"] == "t")
        #expect(unknown.collectors[0].document["raw"]?["passwordPolicy"] == nil)
        let fido = try ScriptedPingOne.parsed(
            #"{"type":"FIDO2","key":"f","action":"AUTHENTICATE","publicKeyCredentialRequestOptions":{"challenge":[1,2],"rpId":"example.com","environmentId":"e-7"}}"#
        )
        let options = try #require(fido.collectors[0].document["publicKey"]?.object)
        #expect(options["rpId"] == "example.com" && options["environmentId"] == nil)
    }

    @Test func `with many options and defaults has each default once, and takes none that is not offered`() throws {
        let options = (0..<2000).map { #"{"label":"l","value":"v\#($0)"}"# }.joined(separator: ",")
        let defaults = (0..<6000).map { #""v\#($0 % 3)""# }.joined(separator: ",")
        let page = try ScriptedPingOne.parsed(
            #"{"type":"CHECKBOX","key":"c","options":[\#(options)]}"#, values: #"{"c":[\#(defaults)]}"#)
        let collector = page.collectors[0]
        #expect(collector.document["value"] == ["v0", "v1", "v2"])
        #expect(collector.document["answer"]?["default"] == ["v0", "v1", "v2"])
        let choice: ChoiceInput? = if case .choice(let input) = collector.input { input } else { nil }
        let input = try #require(choice)
        #expect(input.refusal(of: ["v0", "v1999"]) == nil)
        #expect(input.refusal(of: ["v0", "v2000"])?.code == .notOffered)
        #expect(input.refusal(of: ["v0", "v0"])?.code == .notOffered)
    }

    @Test func `that is too long to be shown raw is shown without`() throws {
        let text = String(repeating: "x", count: 9000)
        let page = try ScriptedPingOne.parsed(#"{"type":"DIVIDER","text":"\#(text)"}"#)
        #expect(page.collectors[0].document["raw"] == nil)
    }

    @Test func `that has ten thousand members of anything shows what a browser needs`() throws {
        let many = (0..<10_000).map { #""\#($0)":{"value":"v\#($0)"}"# }.joined(separator: ",")
        let fido = try ScriptedPingOne.parsed(
            #"{"type":"FIDO2","key":"f","action":"AUTHENTICATE","publicKeyCredentialRequestOptions":{\#(many),"challenge":"AQ"}}"#
        )
        #expect(fido.collectors[0].members["publicKey"] == ["challenge": "AQ", "allowCredentials": []])
        let text = (0..<10_000).map { "{{\($0)}}" }.joined()
        let rich = try ScriptedPingOne.parsed(
            #"{"type":"LABEL","richContent":{"content":"\#(text)","replacements":{\#(many)}}}"#)
        #expect(
            rich.collectors[0].members["segments"] == [["text": .string((0..<10_000).map { "v\($0)" }.joined())]])
        let unknown = try ScriptedPingOne.parsed(#"{"type":"NEW","key":"n","more":{\#(many)}}"#)
        #expect(unknown.collectors[0].members.names == ["providerType"])
    }

    @Test("that is short enough to be shown raw is shown to the last byte", arguments: [8192, 8193])
    func raw(_ bytes: Int) throws {
        let start = #"{"type":"NEW","a":{"b":[1,""#
        let field = start + String(repeating: "x", count: bytes - start.utf8.count - 4) + #""]}}"#
        let raw = try ScriptedPingOne.parsed(field).collectors[0].members["raw"]
        #expect(raw?.text == (bytes == 8192 ? field : nil))
    }

    @Test(
        "has links that browsers may follow, and no others",
        arguments: [
            ("https://x.example/a", true), ("mailto:a@b.c", true), ("https://x.example/a b", false),
            ("https://x.example/\u{9}a", false), ("https://x.example/\u{7F}", false), ("javascript:a()", false),
        ])
    func links(_ address: String, _ isGood: Bool) {
        #expect(RichText.isAddress(address) == isGood)
    }

    @Test("that is a QR code is a picture of at most 128 KiB", arguments: [131_072, 131_073])
    func picture(_ bytes: Int) throws {
        let start = "data:image/png;base64,"
        let content = start + String(repeating: "A", count: bytes - start.utf8.count)
        let page = try ScriptedPingOne.parsed(#"{"type":"QR_CODE","key":"q","content":"\#(content)"}"#)
        #expect(page.collectors[0].members["src"]?.string == (bytes == 131_072 ? content : nil))
    }

    @Test("that consists of signs alone is counted by them", arguments: [4096, 4097])
    func signs(_ count: Int) throws {
        let zeros = Array(repeating: "0", count: count).joined(separator: ",")
        let raw = try ScriptedPingOne.parsed("[\(zeros)]").collectors[0].members["raw"]
        #expect(raw?.array?.count == (2 * count + 1 <= 8192 ? count : nil))
    }
}
