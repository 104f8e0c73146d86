import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// The examples of the contract that a provider has a part in; the others are compared in `BFFAPITests`.
@Suite("An example of an answer of the composed server")
struct ExampleTests {
    typealias Request = @Sendable (Bench) async throws -> JSONValue

    /// By the name of the example, what gets that answer.
    static let requests: [String: Request] = [
        "getSession/signedOut": { try await $0.browser().call(.get, "/bff/session").json },
        "getSession/signedIn": { bench in
            let browser = bench.browser()
            try await browser.signIn("alice", instance: "standard:alice")
            _ = try await browser.start()
            return try await browser.call(.get, "/bff/session").json
        },
        "FlowNode/page": { try await $0.browser().start().json },
        "FlowNode/failure": { bench in
            let browser = bench.browser()
            return try await browser.answer(try await browser.start(), "demo", "wrong").json
        },
        "FlowNode/wait": { bench in
            let browser = bench.browser()
            return try await browser.answer(try await browser.start("standard", ["journey": "Polling"]), "demo").json
        },
        "FlowNode/form": { try await $0.browser().begin().json },
        "FlowNode/refused": { bench in
            let browser = bench.browser()
            return try await browser.fill(
                try await browser.begin(), ["username": "demo", "password": "x"], action: "SIGNON"
            ).json
        },
        "FlowNode/success": { try await $0.browser().signIn().json },
        "User/demo": { bench in
            let browser = bench.browser()
            try await browser.signIn()
            return try await browser.user().json
        },
        "NotRevoked/pending": { bench in
            let browser = bench.browser()
            try await browser.signIn()
            bench.simulator.faults.add(.unavailable(retryAfter: 7), path: "/token/revoke")
            return try await browser.call(.post, "/bff/standard/token/revoke").json
        },
        "Conflict/staleStep": { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let answer: JSONValue = ["flow": page["flow"] ?? .null, "step": 2]
            return try await browser.call(.post, "/bff/standard/next", answer).json
        },
        "streamEvents/state": { bench in
            let browser = bench.browser()
            try await browser.signIn()
            let stream = try await bench.events(browser)
            _ = try await stream.told()
            // The id is made of digests of the sign-ins.
            let lines = await stream.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.hasPrefix("id: 1.") ? "id: 1.Hn2cP0sVq3T8yw" : String(line)
            }
            await stream.close()
            return .string(lines.joined(separator: "\n"))
        },
        "Unprocessable/unknownQuestion": { bench in
            let browser = bench.browser()
            let page = try await browser.start()
            let answer: JSONValue = ["flow": page["flow"] ?? .null, "step": 1, "values": ["IDToken9": "x"]]
            return try await browser.call(.post, "/bff/standard/next", answer).json
        },
    ]

    private static let davinci: Set = ["FlowNode/form", "FlowNode/refused"]

    @Test("is what the server sends", arguments: requests.keys.sorted())
    func sent(_ name: String) async throws {
        let example = try #require(try ContractFile.browsers.get().examples.first { $0.name == name })
        let request = try #require(Self.requests[name])
        try await withBench(Self.davinci.contains(name) ? .pingOne() : Bench.Options()) { bench in
            let answer = try await request(bench)
            #expect(ContractFile.differences(answer, example.value) == [])
        }
    }

    @Test("of the admin listener is what it sends")
    func admin() async throws {
        try await withLedger { bench, _ in
            for (name, path) in [
                ("BearerRefused/noToken", "/authz/signed-in"), ("NotFound/unknownRequirement", "/authz/nobody"),
            ] {
                let example = try #require(try ContractFile.admin.get().examples.first { $0.name == name })
                let answer = try JSONValue(parsing: try await bench.admin(path).body)
                #expect(ContractFile.differences(answer, example.value) == [])
            }
        }
    }

    @Test("is always compared")
    func all() throws {
        #expect(try ContractFile.browsers.get().composedExamples == Set(Self.requests.keys))
        #expect(
            try ContractFile.admin.get().composedExamples == [
                "BearerRefused/noToken", "NotFound/unknownRequirement",
            ])
    }
}
