import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// What a browser does on the pages of one journey, question by question.
struct AskedPages {
    /// How a journey ends.
    enum End {
        case signedIn
        /// Badly, with this message of the provider's.
        case failed(String)
        /// With a page whose questions are of these types.
        case page([String])
    }

    /// One page: questions are named by their place among those that are shown.
    struct Page {
        /// Answers that never reach the provider, each with the codes that say why.
        var refused: [(Int, JSONValue, [String])] = []
        /// What is answered in the end; other questions are left alone.
        var answers: [Int: JSONValue] = [:]
    }

    let journey: String
    /// Who signs in on the first page; nil where that is one of `pages`.
    var user: String?
    let pages: [Page]
    var end = End.signedIn

    /// Goes through the pages.
    ///
    /// - Returns: The types of all questions that were seen.
    func run(_ bench: Bench) async throws -> Set<String> {
        let browser = bench.browser()
        var page = try await browser.start("standard", ["journey": .string(journey)])
        if let user { page = try await browser.answer(page, user) }
        var seen: Set<String> = []
        func note() {
            for question in page["callbacks"]?.array ?? [] { seen.insert(question["type"]?.string ?? "") }
        }
        for asked in pages {
            #expect(page["type"] == "continue", "\(journey) of \(user ?? ""): \(page.json.text)")
            note()
            #expect(try ContractFile.browsers.get().faults(in: page.json, as: "FlowNode") == [])
            let calls = bench.simulator.received("/authenticate")
            for (place, answer, codes) in asked.refused {
                let refused = try await browser.answer(page, [place: answer])
                let found = (refused["fields"]?.array ?? []).compactMap { $0["code"]?.string }
                #expect(
                    refused.status == 422 && found == codes,
                    "\(journey) of \(user ?? ""): \(answer.text.prefix(80)) \(found)")
                // What `answer` can say it says: only lengths in bytes and numbers beyond all bounds it cannot.
                if !codes.contains(where: { ["too-long", "out-of-range", "not-answerable"].contains($0) }) {
                    #expect(Self.faults(answer, page, place)?.isEmpty == false, "\(journey): \(answer.text.prefix(80))")
                }
                #expect(answer.text.utf8.count < 8 || !refused.json.text.contains(answer.text))
            }
            // Nothing of it has left the server, and the page is still open.
            #expect(bench.simulator.received("/authenticate") == calls)
            for (place, answer) in asked.answers { #expect(Self.faults(answer, page, place) == [], "\(journey)") }
            page = try await browser.answer(page, asked.answers)
        }
        note()
        let text = "\(journey) of \(user ?? ""): \(page.json.text)"
        switch end {
        case .signedIn: #expect(page["type"] == "success" && page["signedIn"] == true, "\(text)")
        case .failed(let message): #expect(page["type"] == "failure" && page["message"]?.string == message, "\(text)")
        case .page(let types):
            #expect((page["callbacks"]?.array ?? []).map { $0["type"]?.string } == types, "\(text)")
        }
        return seen
    }

    /// What the schema that a question brings along says to an answer; nil where it brings none.
    private static func faults(_ answer: JSONValue, _ page: Browser.Answer, _ place: Int) -> [String]? {
        page["callbacks"]?[place]?["answer"].map { JSONSchema($0).faults(in: answer, $0) }
    }
}

extension Browser {
    /// Answers questions of a page, named by their place among those that are shown.
    func answer(_ page: Answer, _ answers: [Int: JSONValue]) async throws -> Answer {
        var values = JSONObject()
        for (place, answer) in answers {
            values[try #require(page["callbacks"]?[place]?["id"]?.string)] = answer
        }
        return try await call(
            .post, "/bff/standard/next",
            ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values)])
    }
}
