import Basics
import HTTPCore
import JSON
import TestSupport

/// A browser that runs the SPA: keeps the cookie, sends the CSRF header.
actor Browser {
    /// What came back.
    struct Answer: Sendable {
        let status: Int
        let json: JSONValue
        let body: [UInt8]
        let setCookies: [String]
        /// Where it leads.
        let location: String?

        /// A member by path, `user.claims.sub`.
        subscript(path: String) -> JSONValue? {
            path.split(separator: ".").reduce(json as JSONValue?) { value, name in
                Int(name).map { value?[$0] } ?? value?[String(name)]
            }
        }
    }

    private let transport: any HTTPTransport
    private let base: WebURL
    private let recorder: RecordedLog
    private var jar: [String: String] = [:]

    init(_ base: WebURL, _ transport: any HTTPTransport, _ recorder: RecordedLog, cookie: String? = nil) {
        self.base = base
        self.transport = transport
        self.recorder = recorder
        if let cookie { Self.keep(cookie, in: &jar) }
    }

    /// What the field `Cookie` says; nil without any.
    var cookie: String? {
        jar.isEmpty ? nil : jar.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    private static func keep(_ field: String, in jar: inout [String: String]) {
        let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        jar[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
    }

    /// Sends one request; `nil` leaves a default header out.
    func call(
        _ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil, headers: [String: String?] = [:]
    ) async throws -> Answer {
        let type = json == nil ? nil : "application/json"
        return try await send(method, path, json?.serialized() ?? [], type, headers)
    }

    /// Sends one request with a form.
    func call(
        _ method: HTTPMethod, _ path: String, form: QueryParameters, headers: [String: String?] = [:]
    ) async throws -> Answer {
        try await send(method, path, Array(form.encoded.utf8), "application/x-www-form-urlencoded", headers)
    }

    private func send(
        _ method: HTTPMethod, _ path: String, _ body: [UInt8], _ type: String?, _ headers: [String: String?]
    ) async throws -> Answer {
        let (file, query) = Self.split(path)
        var url = base
        url.path = file
        url.query = query
        var request = ClientRequest(method, url, body: body)
        var all: [String: String?] = ["x-csrf": "1", "cookie": cookie]
        if let type { all["content-type"] = type }
        for (name, value) in all.merging(headers, uniquingKeysWith: { $1 }) {
            if let value { try request.fields.set(HTTPField.Name(checking: name), checking: value) }
        }
        let response = try await transport.send(request, deadline: .now + .seconds(60))
        return take(response)
    }

    private func take(_ response: ClientResponse) -> Answer {
        let setCookies = response.fields[values: .setCookie]
        for field in setCookies { Self.keep(field, in: &jar) }
        record(response)
        return Answer(
            status: response.status, json: (try? JSONValue(parsing: response.body)) ?? .null, body: response.body,
            setCookies: setCookies, location: response.fields[.location])
    }

    /// Everything is searched, the cookies apart: each may carry its own secret.
    private func record(_ response: ClientResponse) {
        let fields = response.fields.filter { $0.name != .setCookie }.map { "\($0.name): \($0.value)" }
        recorder.record(fields.joined(separator: "\n") + "\n\n" + String(decoding: response.body, as: UTF8.self))
        for field in response.fields[values: .setCookie] { recorder.record("set-cookie \(field)") }
    }

    private static func split(_ path: String) -> (String, String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        return (String(path[..<mark]), String(path[path.index(after: mark)...]))
    }

    /// Opens a page of another site, or sends a form there, or comes from one.
    func open(_ address: String, form: QueryParameters? = nil, cookies: String? = nil) async throws -> Answer {
        guard let url = WebURL(address) else { throw BadAddress() }
        var request = ClientRequest(form == nil ? .get : .post, url, body: form.map { Array($0.encoded.utf8) } ?? [])
        if let cookies { try request.fields.set(HTTPField.Name(checking: "cookie"), checking: cookies) }
        if form != nil {
            try request.fields.set(
                HTTPField.Name(checking: "content-type"), checking: "application/x-www-form-urlencoded")
        }
        let response = try await transport.send(request, deadline: .now + .seconds(60))
        if url.origin == base.origin { record(response) }
        return Answer(
            status: response.status, json: .null, body: response.body, setCookies: [],
            location: response.fields[.location])
    }

    struct BadAddress: Error {}

    // MARK: What users do

    /// Begins a flow.
    func start(_ instance: String = "standard", _ body: JSONValue = [:]) async throws -> Answer {
        try await call(.post, "/bff/\(instance)/start", body)
    }

    /// The body that answers the login page.
    static func credentials(
        _ page: Answer, _ user: String, _ password: String = "Ch4ng3it!"
    ) -> JSONValue {
        [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null,
            "values": ["IDToken1": .string(user), "IDToken2": .string(password)],
        ]
    }

    /// Answers the login page.
    func answer(
        _ page: Answer, _ user: String, _ password: String = "Ch4ng3it!", instance: String = "standard"
    ) async throws -> Answer {
        try await call(.post, "/bff/\(instance)/next", Self.credentials(page, user, password))
    }

    /// Signs a user in from the beginning.
    @discardableResult
    func signIn(_ user: String = "demo", instance: String = "standard") async throws -> Answer {
        try await answer(try await start(instance), user, instance: instance)
    }

    /// The `user` document.
    func user(_ instance: String = "standard", query: String = "") async throws -> Answer {
        try await call(.get, "/bff/\(instance)/user\(query)")
    }

    /// Signs an instance out.
    func signOut(_ instance: String = "standard") async throws -> Answer {
        try await call(.post, "/bff/\(instance)/logout", [:])
    }
}
