internal import CCurl
internal import HTTPCore

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// One exchange in flight in libcurl: its handle, its buffers and the answer so far.
///
/// Used on the event thread only. libcurl holds unretained pointers to it and to its buffers, so the engine keeps it
/// until its handle has left the multi handle.
final class Transfer {
    let exchange: ClientExchange
    private(set) var easy: UnsafeMutableRawPointer
    let requestBody: CleansedBuffer
    unowned let engine: TransferEngine
    private let bodyLimit: Int
    private let content = CleansedBuffer()
    private var response: ResponseReader

    /// The request's field lines, which this object owns.
    var fieldLines: UnsafeMutablePointer<curl_slist>?
    /// Why this code ended the transfer itself.
    private(set) var failure: ExchangeError?
    /// True if a byte of the request may have been sent.
    private(set) var wasSent = false
    /// True if the kept connection it was given was unusable before this request was sent on it.
    private(set) var metStaleConnection = false
    /// True if it must open a new connection.
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
            // The lines may hold cookies and credentials.
            if let text = node.pointee.data { explicit_bzero(text, strlen(text)) }
            line = node.pointee.next
        }
        curl_slist_free_all(fieldLines)
    }

    /// The answer, if it is complete.
    func answer() throws(ExchangeError) -> ClientResponse {
        // libcurl treats a closed connection as the end of the head.
        guard response.isComplete else { throw .closed }
        return ClientResponse(status: response.status, fields: response.fields, body: content.bytes)
    }

    /// Prepares a retry on a new connection, with a new handle, after `metStaleConnection`.
    func startOver(with easy: UnsafeMutableRawPointer) {
        self.easy = easy
        metStaleConnection = false
        needsNewConnection = true
    }

    /// Decides if the request may be sent now, on this connection.
    ///
    /// libcurl calls this each time before it sends, also when it retries because a kept connection closed without an
    /// answer. libcurl would retry any method; the server may have acted on the first attempt, so only safe methods
    /// pass.
    func maySend(on connection: ConnectionName) -> Bool {
        if wasSent, !exchange.plan.isSafe {
            failure = .closed
            return false
        }
        // A kept connection with unread bytes was closed, or holds bytes that would be taken for this request's answer.
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

    /// Receives a line of the head.
    ///
    /// - Returns: False to end the transfer; `failure` has the reason.
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
        // Reserves at most 64 KiB: the announced length is only a claim.
        content.reserve(min(length, 65_536))
        return true
    }

    /// Receives a piece of the body.
    ///
    /// - Returns: False to end the transfer; `failure` has the reason.
    func receive(content bytes: UnsafeRawBufferPointer) -> Bool {
        guard content.count + bytes.count <= bodyLimit else {
            failure = .tooLarge
            return false
        }
        content.append(bytes)
        return true
    }
}
