internal import CCurl
internal import HTTPCore

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One exchange under way in libcurl: its handle, its buffers and what is known of the answer.
///
/// Lives on the event thread. libcurl holds unretained pointers to it and to its buffers, so the engine keeps it until
/// its handle has left the multi handle.
final class Transfer {
    let exchange: ClientExchange
    let easy: UnsafeMutableRawPointer
    let requestBody: CleansedBuffer
    unowned let engine: TransferEngine
    private let bodyLimit: Int
    private let content = CleansedBuffer()
    private var response: ResponseReader

    /// The request's field lines, owned.
    var fieldLines: UnsafeMutablePointer<curl_slist>?
    /// Why we ended the transfer ourselves.
    private(set) var failure: ExchangeError?
    /// Whether a byte of the request may have left.
    private(set) var wasSent = false
    /// Whether the kept connection it was given turned out unusable before this request was sent on it.
    private(set) var metStaleConnection = false
    /// Whether it must open a connection of its own.
    private(set) var needsNewConnection = false

    init(
        _ exchange: ClientExchange, easy: UnsafeMutableRawPointer, engine: TransferEngine, settings: HTTPClientSettings
    ) {
        self.exchange = exchange
        self.easy = easy
        self.engine = engine
        bodyLimit = settings.bodyLimit
        requestBody = CleansedBuffer(exchange.plan.request.body)
        response = ResponseReader(limit: settings.headerLimit)
    }

    deinit {
        var line = fieldLines
        while let node = line {
            // Cookies and credentials are among them.
            if let text = node.pointee.data { explicit_bzero(text, strlen(text)) }
            line = node.pointee.next
        }
        curl_slist_free_all(fieldLines)
    }

    /// The answer, when it is complete.
    func answer() throws(ExchangeError) -> ClientResponse {
        // libcurl takes the end of the connection for the end of the head.
        guard response.isComplete else { throw .closed }
        return ClientResponse(status: response.status, fields: response.fields, body: content.bytes)
    }

    /// Prepares for a second try on a connection of its own, after `metStaleConnection`.
    func startOver() {
        metStaleConnection = false
        needsNewConnection = true
    }

    /// Decides whether the request may be sent now, on this connection.
    ///
    /// libcurl calls this each time before it sends, also when it sends again because a kept connection closed without
    /// an answer. It would do so for any method; the server may have acted on the first one, so only safe ones pass.
    func maySend(on connection: ConnectionName) -> Bool {
        if wasSent, !exchange.plan.isSafe {
            failure = .closed
            return false
        }
        // A kept connection with bytes waiting was closed, or holds what would be taken for this request's answer.
        if isReused, !engine.connections.isQuiet(connection) {
            metStaleConnection = true
            return false
        }
        wasSent = true
        return true
    }

    private var isReused: Bool {
        var opened = 0
        return cloakroom_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &opened) == CURLE_OK && opened == 0
    }

    /// Takes a line of the head.
    ///
    /// - Returns: False to end the transfer; `failure` says why.
    func receive(line: UnsafeRawBufferPointer) -> Bool {
        do {
            try response.read(line: line)
        } catch {
            failure = error
            return false
        }
        guard response.isComplete, exchange.plan.request.method != .head, let length = response.contentLength else {
            return true
        }
        guard length <= bodyLimit else {
            failure = .tooLarge
            return false
        }
        // Not more than a little: the length is only a claim.
        content.reserve(min(length, 65_536))
        return true
    }

    /// Takes a piece of the body.
    ///
    /// - Returns: False to end the transfer; `failure` says why.
    func receive(content bytes: UnsafeRawBufferPointer) -> Bool {
        guard content.count + bytes.count <= bodyLimit else {
            failure = .tooLarge
            return false
        }
        content.append(bytes)
        return true
    }
}
