import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("Two hundred users of DaVinci flows at once, over real HTTP,", .timeLimit(.minutes(2)))
struct DaVinciCrowdTests {
    private static let policies = ["SignOn", "SignOnForms", "StepUp"]

    private static var options: Bench.Options {
        var options = Bench.Options.pingOne()
        options.provider = { settings in
            settings.users += (0..<200).map { number in
                SimulatedUser(
                    name: "user-\(number)", password: SimulatedUser.standardPassword, givenName: "User",
                    familyName: "\(number)", email: "user-\(number)@example.com")
            }
        }
        return options
    }

    /// Signs one user in, silently again, has the token renewed and signs out.
    ///
    /// - Returns: Who that is at PingOne; nil where anything was not as it should be.
    private static func visit(_ bench: Bench, _ number: Int) async throws -> (subject: String, name: String)? {
        let browser = bench.browser()
        let (name, policy) = ("user-\(number)", policies[number % 3])
        let start: JSONObject = ["acrValues": [.string(policy)], "loginHint": .string(name)]
        var node = try await browser.start("workforce", .object(start))
        let (prefix, button) = policy == "SignOn" ? ("", "SIGNON") : ("user.", "submit")
        let values: JSONObject = [
            "\(prefix)username": .string(name), "\(prefix)password": .string(SimulatedUser.standardPassword),
        ]
        node = try await browser.fill(node, values, action: button)
        if policy == "StepUp" { node = try await browser.fill(node, ["otp": "424242"], action: "submit") }
        guard node["signedIn"] == true else { return nil }
        let user = try await browser.user("workforce")
        guard user["claims.preferred_username"]?.string == name, user["token.acr"]?.string == policy,
            let subject = user["subject"]?.string,
            try await browser.start("workforce", .object(start))["signedIn"] == true,
            try await browser.call(.post, "/bff/workforce/token/refresh").status == 200
        else { return nil }
        let renewed = try await browser.user("workforce")
        guard renewed["subject"]?.string == subject, renewed["claims.preferred_username"]?.string == name,
            try await browser.signOut("workforce").status == 204,
            try await browser.user("workforce").status == 401
        else { return nil }
        return (subject, name)
    }

    /// Whose cookies were sent with a call, as far as the call itself says whose it is.
    private struct Owners {
        /// The names by the cookie that came with them.
        private(set) var names: [String: Set<String>] = [:]
        private var flows: [Substring: String] = [:]
        private var tokens: [String: String] = [:]

        private static func cookies(_ request: ReceivedRequest) -> [(name: Substring, value: Substring)] {
            request.headers.values("cookie").flatMap { $0.split(separator: ";") }.map { pair in
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return (parts[0], parts[1])
            }
        }

        init(_ requests: [ReceivedRequest], _ subjects: [String: String]) throws {
            for request in requests {
                guard let flow = Self.cookies(request).first(where: { $0.name == "interactionId" })?.value else {
                    continue
                }
                let form = (try? JSONValue(parsing: request.body))?["parameters"]?["data"]?["formData"]
                guard let name = (form?["username"] ?? form?["user.username"])?.string else { continue }
                flows[flow] = name
            }
            for request in requests {
                let cookies = Self.cookies(request)
                let parts = request.target.split(separator: "?", maxSplits: 1)
                let query = QueryParameters(parsing: parts.count == 2 ? parts[1] : "")
                let owner: String?
                if request.target.contains("/as/authorize") {
                    owner = query?.single("login_hint")
                    // Nothing of a flow comes with the start of another.
                    #expect(cookies.allSatisfy { $0.name.hasPrefix("ST") })
                } else if request.target.contains("/as/signoff") {
                    let token = try #require(query?.single("id_token_hint")).split(separator: ".")
                    let payload = try #require(Base64URL.decode(token[1]))
                    let claims = try JSONValue(parsing: payload)
                    owner = subjects[claims["sub"]?.string ?? ""]
                } else {
                    owner = cookies.first { $0.name == "interactionId" }.flatMap { flows[$0.value] }
                    #expect(owner != nil || cookies.isEmpty, "\(request.target)")
                }
                guard let owner else { continue }
                for cookie in cookies where cookie.name != "skProxyApiEnvironmentId" {
                    names["\(cookie.name)=\(cookie.value)", default: []].insert(owner)
                }
            }
        }
    }

    @Test("each in a browser and by a policy of their own, have nothing of one another's")
    func crowd() async throws {
        try await withBench(Self.options) { bench in
            var subjects: [String: String] = [:]
            try await withThrowingTaskGroup(of: (subject: String, name: String)?.self) { group in
                for number in 0..<200 { group.addTask { try await Self.visit(bench, number) } }
                for try await visit in group { if let visit { subjects[visit.subject] = visit.name } }
            }
            #expect(subjects.count == 200 && Set(subjects.values).count == 200)
            await bench.settled()
            #expect(bench.simulator.sessionCount == 0)
            let owners = try Owners(bench.simulator.requests, subjects)
            for (cookie, names) in owners.names { #expect(names.count == 1, "\(cookie.prefix(20)): \(names)") }
            // Two of the session and two of each page.
            #expect(Set(owners.names.values.flatMap { $0 }).count == 200 && owners.names.count >= 800)
            #expect(bench.simulator.received("/as/signoff") == 200)
        }
    }
}
