import HTTPCore
import JSON
import Testing

/// A browser that runs the page of an application: a cookie jar, and nothing else that it keeps.
actor LiveBrowser {
    private let base: String
    private var jar: [String: String] = [:]

    init(_ base: String) {
        self.base = base
    }

    /// Opens a page of the server as a navigation does.
    func open(_ path: String) async throws -> Wire.Answer { try await call(.get, path, headers: []) }

    /// Sends one request of a script, or with other headers.
    func call(
        _ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil, headers: [(String, String)] = [("X-CSRF", "1")]
    ) async throws -> Wire.Answer {
        var headers = headers
        let cookies = jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        if !cookies.isEmpty { headers.append(("Cookie", cookies)) }
        let answer = try await Wire.send(
            method, base + path, json.map { .json($0) } ?? .none, headers: headers, patience: .seconds(90))
        for field in answer.fields[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            jar[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
        }
        let text = answer.text
        for secret in LiveSecrets.all where text.contains(secret) {
            Issue.record("an answer has a secret: \(method) \(path)")
        }
        return answer
    }

    // MARK: What users do

    /// Begins a flow.
    func start(_ instance: String = "standard", _ body: JSONValue = [:]) async throws -> Wire.Answer {
        try await call(.post, "/bff/\(instance)/start", body)
    }

    /// Sends the answers to a page.
    func next(_ page: Wire.Answer, _ answers: PageAnswers, _ instance: String = "standard") async throws -> Wire.Answer
    {
        try await next(page, values: answers.values(of: page), instance)
    }

    /// Sends answers to a page, by the ids of its questions.
    func next(
        _ page: Wire.Answer, values: JSONValue, _ instance: String = "standard"
    ) async throws -> Wire.Answer {
        try await call(
            .post, "/bff/\(instance)/next",
            ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": values])
    }

    /// Runs a flow from a page to its end, or to a page that repeats.
    func finish(
        _ first: Wire.Answer, _ answers: PageAnswers, _ instance: String = "standard"
    ) async throws -> Wire.Answer {
        var answer = first
        for _ in 0..<6 where answer["type"] == "continue" { answer = try await next(answer, answers, instance) }
        return answer
    }

    /// Runs a flow from its beginning.
    func run(
        _ answers: PageAnswers, _ instance: String = "standard", _ body: JSONValue = [:]
    ) async throws -> Wire.Answer {
        try await finish(try await start(instance, body), answers, instance)
    }

    func user(_ instance: String = "standard") async throws -> Wire.Answer {
        try await call(.get, "/bff/\(instance)/user")
    }

    func refresh(_ instance: String = "standard") async throws -> Wire.Answer {
        try await call(.post, "/bff/\(instance)/token/refresh")
    }

    func revoke(_ instance: String = "standard") async throws -> Wire.Answer {
        try await call(.post, "/bff/\(instance)/token/revoke")
    }

    func signOut(_ instance: String = "standard") async throws -> Wire.Answer {
        try await call(.post, "/bff/\(instance)/logout", [:])
    }
}

/// Fails unless a flow ended with a signed-in user.
func expectSignedIn(_ answer: Wire.Answer, _ location: SourceLocation = #_sourceLocation) throws {
    try #require(
        answer.status == 200 && answer["type"] == "success" && answer["signedIn"] == true,
        "\(answer.status) \(answer.text.prefix(600))", sourceLocation: location)
}

/// Fails unless a flow ended with this reason.
func expectFailure(
    _ answer: Wire.Answer, _ reason: JSONValue, _ message: JSONValue? = nil,
    _ location: SourceLocation = #_sourceLocation
) {
    #expect(
        answer["type"] == "failure" && answer["reason"] == reason, "\(answer.status) \(answer.text.prefix(600))",
        sourceLocation: location)
    if let message {
        #expect(answer["message"] == message, "\(answer.text.prefix(600))", sourceLocation: location)
    }
}

/// Fails unless an answer is this problem.
func expectProblem(
    _ answer: Wire.Answer, _ status: Int, _ name: String, _ location: SourceLocation = #_sourceLocation
) {
    #expect(
        answer.status == status && answer["type"] == .string("/problems/\(name)"),
        "\(answer.status) \(answer.text.prefix(600))", sourceLocation: location)
}
