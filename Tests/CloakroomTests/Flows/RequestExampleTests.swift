import BFF
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// The bodies that the contract shows, sent as they stand there; only ids that are other ones each time are replaced.
@Suite("An example of a request")
struct RequestExampleTests {
    typealias Sending = @Sendable (JSONValue) async throws -> Browser.Answer

    /// By the name of the example: the type of the node that it gets, nil for an answer without a body, and the call with
    /// what comes before it.
    static let calls: [String: (node: String?, send: Sending)] = [
        "startFlow/default": ("continue", { body in try await start(body) }),
        "startFlow/again": ("continue", { body in try await start(body) }),
        "startFlow/stepUp": (
            "continue",
            { body in
                var answer: Browser.Answer?
                try await withLedger { bench, _ in
                    let browser = bench.browser()
                    try await browser.signIn()
                    answer = try await browser.start("transaction", body)
                }
                return try #require(answer)
            }
        ),
        "answerStep/password": (
            "success", { body in try await next(body, "standard") { try await $0.start() } }
        ),
        "answerStep/poll": (
            "continue",
            { body in
                try await next(body, "standard") { browser in
                    try await browser.answer(try await browser.start("standard", ["journey": "Polling"]), "demo")
                }
            }
        ),
        "answerStep/form": (
            "success", { body in try await next(body, "workforce", .pingOne()) { try await $0.begin() } }
        ),
        "resumeFlow/link": ("success", { body in try await resume(body) }),
        "resumeFlow/uri": ("success", { body in try await resume(body) }),
        "logoutInstance/default": (nil, { body in try await signOut(body) }),
        "logoutInstance/everything": (nil, { body in try await signOut(body) }),
    ]

    /// What needs more than one client or more than one user, and has suites of its own.
    static let elsewhere: Set = ["startFlow/transaction", "answerStep/confirm"]

    /// Runs a call against a bench of its own.
    private static func asking(
        _ options: Bench.Options = Bench.Options(), _ call: (Bench) async throws -> Browser.Answer
    ) async throws -> Browser.Answer {
        var answer: Browser.Answer?
        try await withBench(options) { answer = try await call($0) }
        return try #require(answer)
    }

    private static func start(_ body: JSONValue) async throws -> Browser.Answer {
        try await asking { try await $0.browser().start("standard", body) }
    }

    /// The answer to a page; the step is that of the example.
    private static func next(
        _ body: JSONValue, _ instance: String, _ options: Bench.Options = Bench.Options(),
        after begin: (Browser) async throws -> Browser.Answer
    ) async throws -> Browser.Answer {
        try await asking(options) { bench in
            let browser = bench.browser()
            var own = try #require(body.object)
            own["flow"] = try await begin(browser)["flow"]
            // The bench's clock stands still: a poll would be held for ever.
            if own["wait"] != nil { own["wait"] = 0 }
            return try await browser.call(.post, "/bff/\(instance)/next", .object(own))
        }
    }

    private static func signOut(_ body: JSONValue) async throws -> Browser.Answer {
        try await asking { bench in
            let browser = bench.browser()
            try await browser.signIn()
            return try await browser.call(.post, "/bff/standard/logout", body)
        }
    }

    /// What a browser gets that opens the link of a mail.
    private static func resume(_ body: JSONValue) async throws -> Browser.Answer {
        let options = Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = ["EmailLink"] })
        return try await asking(options) { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            _ = try await browser.call(
                .post, "/bff/standard/next",
                ["flow": page["flow"] ?? .null, "step": 1, "values": ["IDToken1": "demo"]])
            let outbox = try await browser.open(bench.simulator.baseURL + "/simulator/outbox")
            let id = try #require(try JSONValue(parsing: outbox.body)["messages"]?[0]?["suspendedId"]?.string)
            var own = JSONObject()
            for (name, value) in try #require(body.object) {
                let text = try #require(value.string)
                let isAddress = name.isSameText(as: "uri")
                own[name] = .string(
                    text.replacing("eyJ0eXAiOiJKV1QifQ.e30.x", with: isAddress ? PercentEncoding.encode(id) : id))
            }
            #expect(JSONValue.object(own) != body, "the example has another id than the one that is replaced")
            return try await bench.browser().call(.post, "/bff/standard/resume", .object(own))
        }
    }

    /// The bodies of the document, by operation and name.
    private static func bodies() throws -> [String: JSONValue] {
        var bodies: [String: JSONValue] = [:]
        for (_, item) in try ContractFile.browsers.get().document["paths"]?.object ?? [:] {
            for (_, operation) in item.object ?? [:] {
                for (_, content) in operation["requestBody"]?["content"]?.object ?? [:] {
                    for (name, example) in content["examples"]?.object ?? [:] {
                        bodies["\(operation["operationId"]?.string ?? "")/\(name)"] = example["value"]
                    }
                }
            }
        }
        return bodies
    }

    @Test("is answered as its operation says", arguments: calls.keys.sorted())
    func answered(_ name: String) async throws {
        let call = try #require(Self.calls[name])
        let answer = try await call.send(try #require(try Self.bodies()[name]))
        #expect(answer.status == (call.node == nil ? 204 : 200), "\(answer.json.text)")
        #expect(answer["type"]?.string == call.node, "\(answer.json.text)")
    }

    @Test("is always sent")
    func all() throws {
        #expect(Set(try Self.bodies().keys) == Set(Self.calls.keys).union(Self.elsewhere))
    }
}
