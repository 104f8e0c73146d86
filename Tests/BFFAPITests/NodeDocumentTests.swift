import JSON
import JourneyProduct
import Testing

@testable import BFF
@testable import BFFAPI

@Suite("The document of a page")
struct NodeDocumentTests {
    private static let one = #"{"id": "one", "publicKey":{"challenge":"x"},"b":"\u00e9","answer":{"type":"object"}}"#

    private func text(_ change: (inout ShownPage) -> Void) throws -> String {
        let one = try #require(try JSONValue(parsing: Array(Self.one.utf8)).object)
        let questions: [(id: String, JSONObject)] = [("one", one), ("two", ["id": "two"])]
        var page = ShownPage(heading: ["header": "H"], "questions", questions)
        change(&page)
        let node = FlowNode.Page(
            step: 2, expiresIn: 9, purpose: nil, refusal: nil, isCrossBrowser: false, shown: page)
        let document = NodeDocument.document(FlowNode(kind: .journey, flow: "f", .page(node)), at: "/auth/standard:a")
        return String(decoding: document, as: UTF8.self)
    }

    private let head = #"{"type":"continue","kind":"journey","flow":"f","step":2,"expiresIn":9,"header":"H","#

    @Test func `has the questions as their client shows them`() throws {
        #expect(
            try text { $0.annotate("three") { $0.isWithheld = true } } == head
                + #""questions":[{"id":"one","publicKey":{"challenge":"x"},"b":"é","answer":{"type":"object"}},"#
                + #"{"id":"two"}]}"#)
    }

    @Test func `says behind a question when it may be polled, and by which path the user leaves`() throws {
        let shown = try text { page in
            page.annotate("two") { question in
                question.nextPollIn = .milliseconds(1500)
                question.departure = "h"
            }
        }
        #expect(shown.hasSuffix(#",{"id":"two","nextPollIn":1500,"go":"/auth/standard:a/go/h"}]}"#))
    }

    @Test func `leaves out what is withheld, and has the other schema in its place`() throws {
        let shown = try text { page in
            page.annotate("one") { question in
                question.isWithheld = true
                question.answer = ["const": 1]
            }
        }
        #expect(shown.hasPrefix(head + #""questions":[{"id":"one","b":"é","answer":{"const":1}},"#))
    }
}
