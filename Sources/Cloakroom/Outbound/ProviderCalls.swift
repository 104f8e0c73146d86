internal import Basics
internal import HTTPCore
internal import Logs
internal import OpenIDConnect

/// A transport that logs every call to a provider: a line at level debug, and a warning where the provider cannot be
/// reached or refuses.
///
/// It never logs an address with its query, a header field, a token or a body.
struct ProviderCalls: HTTPTransport {
    private let transport: any HTTPTransport
    private let logger: Logger
    private let saysEach: Bool
    private let introspects: Bool

    /// - Parameters:
    ///   - transport: Makes the calls.
    ///   - saysEach: True to log calls that succeed; false for a client that logs them itself.
    ///   - introspects: True if the calls introspect tokens of callers, who may invent them: a 400 is then no fault of
    ///     this server, and the provider's text about a refusal is not logged.
    ///   - logger: Gets the lines.
    init(_ transport: any HTTPTransport, saysEach: Bool = true, introspects: Bool = false, logger: Logger) {
        self.transport = transport
        self.saysEach = saysEach
        self.introspects = introspects
        self.logger = logger
    }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        let begin = ContinuousClock.now
        do {
            let response = try await transport.send(request, deadline: deadline)
            said(request, response, begin.duration(to: .now))
            return response
        } catch {
            failed(request, error, begin.duration(to: .now))
            throw error
        }
    }

    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        let begin = ContinuousClock.now
        do {
            let response = try await transport.stream(request, deadline: deadline)
            let head = ClientResponse(status: response.status, fields: response.fields)
            said(request.request, head, begin.duration(to: .now))
            return response
        } catch {
            failed(request.request, error, begin.duration(to: .now))
            throw error
        }
    }

    private func said(_ request: ClientRequest, _ response: ClientResponse, _ took: Duration) {
        let refusal = response.status < 300 ? nil : ProviderErrorReport(response, to: Self.endpoint(request))
        guard refusal != nil || saysEach && logger.logLevel <= .debug else { return }
        var metadata = metadata(request, took)
        metadata["http.status"] = .stringConvertible(response.status)
        if saysEach { logger.debug("Provider call", metadata: metadata) }
        guard let refusal, !introspects || response.status != 400 else { return }
        metadata["content.type"] = .string(response.contentTypeName)
        metadata["provider.error"] = .string(introspects ? "status \(response.status)" : refusal.code)
        if let message = refusal.message, !introspects { metadata["provider.message"] = .string(message) }
        logger.warning("A provider refuses a call", metadata: metadata)
    }

    private func failed(_ request: ClientRequest, _ error: TransportError, _ took: Duration) {
        var metadata = metadata(request, took)
        switch error {
        // The caller disconnected.
        case .cancelled: return
        case .notReached(let failure):
            metadata["problem"] = .string(failure.rawValue)
            metadata["advice"] = failure.advice.map { .string($0) }
            logger.warning("A provider is not reached", metadata: metadata)
        case .noUsableAnswer(let failure):
            metadata["problem"] = .string(failure.rawValue)
            logger.warning("A provider gives no usable answer", metadata: metadata)
        }
    }

    private func metadata(_ request: ClientRequest, _ took: Duration) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "call": .string(Self.name(request)), "http.host": .string(request.url.authority),
            "http.ms": .stringConvertible(took.milliseconds),
        ]
        if let id = request.context?.id { metadata["request.id"] = .string(id) }
        return metadata
    }

    /// The method and the end of the path, `POST access_token`; for AM's sessions with the action.
    private static func name(_ request: ClientRequest) -> String {
        let name = "\(request.method.rawValue) \(endpoint(request))"
        guard let query = request.url.query,
            let action = actions.first(where: {
                query.ends(withText: "_action=" + $0) || query.firstRange(ofText: "_action=\($0)&") != nil
            })
        else { return name }
        return "\(name) \(action)"
    }

    /// The last part of the path that is a name; `serverinfo` of `serverinfo/*`.
    private static func endpoint(_ request: ClientRequest) -> String {
        request.url.path.split(byte: "/").last { $0 != "*" }.map { String($0.prefix(64)) } ?? "/"
    }

    private static let actions = ["logout", "refresh", "getSessionInfo", "validate", "logoutByHandle"]
}
