import HTTPCore
import JSON
import Orchestrate
import Testing

@testable import DaVinciClient

@Suite("A DaVinci page with a form that PingOne has sent before")
struct KnownDaVinciFormTests {
    private let forms = KnownPages<DaVinciForm>()

    private func page(_ key: String, filled: String = "", label: String = "E-mail", flow: String? = "own") throws
        -> DaVinciPage
    {
        let step = try JSONValue(
            parsing: """
                {"interactionId":"\(key)","interactionToken":"token of \(key)","id":"node","eventName":"continue",\
                "_links":{"next":{"href":"https://auth.example.com/env/davinci/\(key)"}},"form":{"name":"Form",\
                "components":{"fields":[{"type":"TEXT","key":"user.email","label":"\(label)","required":true,\
                "validation":{"regex":"^[^@]+@[^@]+$","errorMessage":"no \\"address\\""}},{"type":"SUBMIT_BUTTON",\
                "key":"submit","label":"Next"}]}},"formData":{"value":{"user.email":"\(filled)"}}}
                """)
        return DaVinciPage(try #require(step.object), known: forms, sentTo: flow == "own" ? "flow of \(key)" : flow)
    }

    private func share(_ left: DaVinciPage, _ right: DaVinciPage) -> Bool { left.form === right.form }

    @Test func `shares what it shows from the second time on`() throws {
        let (first, second, third) = (try page("a1"), try page("a2"), try page("a3"))
        #expect(!share(first, second))
        #expect(share(second, third))
        #expect(share(third, try page("a3", flow: nil)))
    }

    @Test func `keeps its own keys and links, in what is shown and in what goes back`() throws {
        for key in ["a1", "a2", "a3", "a4"] {
            let page = try page(key)
            let own = DaVinciPage(page.step)
            #expect(page.document == own.document)
            #expect(page.document.serialized() == own.document.serialized())
            #expect(page.validate(Answers(["user.email": "none"])) == own.validate(Answers(["user.email": "none"])))
            let answers = Answers(["user.email": .string("\(key)@example.com")])
            let request = try page.request(answering: answers, deviceValue: .web)
            #expect(request.url?.text == "https://auth.example.com/env/davinci/\(key)")
            #expect(request.header("interactionToken") == "token of \(key)")
            #expect(String(decoding: request.body, as: UTF8.self).contains("\(key)@example.com"))
        }
    }

    @Test func `shares nothing with one that differs in a label, or in what it is filled with`() throws {
        for key in ["a0", "a1"] { _ = try page(key) }
        let shared = try page("a")
        #expect(share(shared, try page("b")))
        #expect(!share(shared, try page("a", label: "Mail")))
        let filled = try page("a", filled: "maria@example.com")
        #expect(!share(shared, filled))
        #expect(filled.collectors.first?.field.value == "maria@example.com")
    }

    @Test func `shares nothing that is filled for its user, in however many flows that user gets it`() throws {
        let made = try ["a1", "a2", "a3"].map { try page($0, filled: "maria@example.com") }
        #expect(!share(made[0], made[1]) && !share(made[1], made[2]) && !share(made[0], made[2]))
        #expect(made.allSatisfy { $0.collectors.first?.field.value == "maria@example.com" })
    }

    @Test(arguments: ["\"\"", "null", "[]", "{}", #"[""]"#, #"{"a":""}"#])
    func `shares a form whose values are empty`(_ value: String) throws {
        let made = try (0..<3).map { number in
            let step = try JSONValue(
                parsing:
                    #"{"form":{"components":{"fields":[{"type":"TEXT","key":"x"}]}},"formData":{"value":{"x":\#(value)}}}"#
            )
            return DaVinciPage(try #require(step.object), known: forms, sentTo: "\(number)")
        }
        #expect(share(made[1], made[2]))
    }

    @Test(arguments: [#""a""#, "0", "false", #"["a"]"#, #"{"a":{"b":"c"}}"#])
    func `shares no form with a value`(_ value: String) throws {
        let made = try (0..<3).map { number in
            let step = try JSONValue(
                parsing:
                    #"{"form":{"components":{"fields":[{"type":"TEXT","key":"x"}]}},"formData":{"value":{"x":\#(value)}}}"#
            )
            return DaVinciPage(try #require(step.object), known: forms, sentTo: "\(number)")
        }
        #expect(!share(made[1], made[2]))
    }

    @Test func `shares nothing that no other flow was sent`() throws {
        let first = try page("a1")
        #expect(!share(first, try page("a1", flow: nil)))
        #expect(!share(try page("a1", flow: nil), try page("a1", flow: nil)))
        // However often one flow is sent it, as while it is polled.
        let again = try ["a2", "a3", "a4"].map { try page($0, flow: "flow of a1") }
        #expect(!share(again[0], again[1]))
        #expect(!share(again[1], again[2]))
    }

    @Test func `makes a value once, however many fields are filled with it`() throws {
        let step = try JSONValue(
            parsing:
                #"{"form":{"components":{"fields":[{"type":"CHECKBOX","key":"x"},{"type":"CHECKBOX","key":"x"}]}},"#
                + #""formData":{"value":{"x":["one","two"]}}}"#)
        let page = DaVinciPage(try #require(step.object))
        let places = page.collectors.map { $0.field.value?.array?.withUnsafeBufferPointer(\.baseAddress) }
        #expect(places.count == 2 && places[0] != nil && places[0] == places[1])
    }

    @Test(arguments: ["fields", "inputs"])
    func `counts polls wherever they stand`(part: String) throws {
        let step = try JSONValue(
            parsing: #"{"form":{"components":{"\#(part)":[{"type":"POLLING","key":"p","pollRetries":3}]}}}"#)
        let page = DaVinciPage(try #require(step.object))
        #expect(page.polledOnce.poll?.retriesLeft == 2)
        #expect(page.polledOut.poll == nil)
    }
}
