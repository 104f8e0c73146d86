internal import Basics
public import HTTPCore

/// A network in memory: answers requests from a script and remembers what was sent.
///
/// Answers are chosen by method and address without the query. A request that nothing was scripted for throws
/// `.notReached(.resolve)` and is remembered like any other, so a test sees it in `requests`.
public final class ScriptedTransport: HTTPTransport {
    /// Computes the answer to one request.
    public typealias Answer = @Sendable (ClientRequest) async throws(TransportError) -> ClientResponse

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [ClientRequest] = []
    }

    private let state = Locked(State())

    /// A network that reaches nothing yet.
    public init() {}

    /// Every request so far, in the order of sending.
    public var requests: [ClientRequest] {
        state.withLock { $0.requests }
    }

    /// The requests to one address, whatever their method and query.
    public func requests(to address: String) -> [ClientRequest] {
        requests.filter { Self.address($0.url) == address }
    }

    /// Forgets the requests so far; the script stays.
    public func forgetRequests() {
        state.withLock { $0.requests = [] }
    }

    /// Scripts the answer for a method and an address without query; replaces an earlier one.
    public func on(_ method: HTTPMethod, _ address: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers["\(method.rawValue) \(address)"] = answer }
    }

    /// Scripts answers that are given in turn; the last one is given for ever.
    public func on(_ method: HTTPMethod, _ address: String, answering responses: ClientResponse...) {
        let remaining = Locked(responses)
        on(method, address) { _ in
            remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? ClientResponse(status: 500) }
        }
    }

    /// Scripts a failure.
    public func on(_ method: HTTPMethod, _ address: String, failing error: TransportError) {
        on(method, address) { _ throws(TransportError) in throw error }
    }

    /// Answers from the script.
    public func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers["\(request.method.rawValue) \(Self.address(request.url))"]
        }
        guard let answer else { throw .notReached(.resolve) }
        return try await answer(request)
    }

    private static func address(_ url: WebURL) -> String {
        var url = url
        url.query = nil
        return url.text
    }
}

extension HTTPTransport {
    /// Streams for transports of tests, which script whole answers.
    public func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        try await sendBuffered(request, deadline: deadline)
    }
}

extension ClientResponse {
    /// A JSON answer.
    public static func json(_ text: String, status: Int = 200) -> ClientResponse {
        ClientResponse(status: status, fields: [.contentType: "application/json"], body: Array(text.utf8))
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int = 302) -> ClientResponse {
        ClientResponse(status: status, fields: [HTTPField(.location, known: location)])
    }

    /// The page by which AM asks for consent, as far as it is looked at.
    public static var consentPage: ClientResponse { html(#"<form method="post"><input name="csrf"></form>"#) }

    /// A page.
    public static func html(_ text: String, status: Int = 200) -> ClientResponse {
        ClientResponse(status: status, fields: [.contentType: "text/html;charset=utf-8"], body: Array(text.utf8))
    }
}

extension ClientRequest {
    /// The body as form fields; nil when it is no form.
    public var form: QueryParameters? {
        QueryParameters(parsing: String(decoding: body, as: UTF8.self))
    }

    /// The query as fields; nil when it cannot be taken apart.
    public var parameters: QueryParameters? {
        QueryParameters(parsing: url.query ?? "")
    }
}
