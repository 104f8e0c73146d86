internal import HTTPCodec
internal import HTTPCore
internal import Logs

/// A request that was validated as one well-formed HTTP message.
struct RequestPlan: Sendable {
    let request: ClientRequest
    let destination: Destination
    /// The host and port of the URL, put together once.
    private let host: String

    /// True if the method is safe: it changes nothing, so that sending it twice does no harm (RFC 9110 section 9.2.1).
    var isSafe: Bool { request.method.isSafe }

    /// Validates a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasUpload: True if its body is a stream.
    /// - Throws: `.invalidRequest` when a part of it could break out of its place in the message, or names a field of
    ///   the transport's own: one that frames the message or manages the connection.
    init(_ request: ClientRequest, hasUpload: Bool = false) throws(ExchangeError) {
        let (method, url) = (request.method, request.url)
        let hasBody = hasUpload || !request.body.isEmpty
        // rule: a request of HEAD or TRACE is sent without a body
        if hasBody, method == .head || method == .trace { throw .invalidRequest }
        // rule: a request has one body
        if hasUpload, !request.body.isEmpty { throw .invalidRequest }
        host = url.authority
        do throws(RequestWriteError) {
            try RequestWriter.check(method: method.rawValue, path: url.path, query: url.query, host: host)
        } catch {
            throw .invalidRequest
        }
        // rule: a field of the transport's own is in no request
        guard request.fields.forEachBytes({ name, _ in !RequestWriter.isReserved(name) }) else {
            throw .invalidRequest
        }
        self.request = request
        destination = Destination(request, host: host)
    }

    /// Writes the head, and the body if it is in memory.
    ///
    /// - Parameters:
    ///   - agent: The field `User-Agent` for a request that has none.
    ///   - isAbsolute: True for a target in absolute form, for a proxy.
    ///   - stream: The bodies of a streamed exchange; nil for one whose bodies are in memory.
    /// - Returns: The bytes to send.
    /// - Throws: The part that cannot be written.
    func write(
        agent: HTTPFields, isAbsolute: Bool, upload stream: StreamPipe?
    ) throws(RequestWriteError) -> CleansedBuffer {
        let (method, url, fields) = (request.method.rawValue, request.url, request.fields)
        let own = fields.contains(.userAgent) ? [:] : agent
        let hasUpload = stream?.hasUpload ?? false
        let length = hasUpload ? stream?.uploadLength : length
        let isChunked = hasUpload && length == nil
        let size =
            RequestWriter.startSize(
                method: method, path: url.path, query: url.query, host: host, isAbsolute: isAbsolute)
            + RequestWriter.fieldsSize(own.count + fields.count, bytes: own.byteCount + fields.byteCount)
            + RequestWriter.finishSize(length: length, isChunked: isChunked) + request.body.count
        let buffer = CleansedBuffer()
        try buffer.append(upTo: size) { memory throws(RequestWriteError) in
            var writer = RequestWriter(into: memory)
            try writer.start(
                method: method, path: url.path, query: url.query, host: host, isAbsolute: isAbsolute)
            try Self.write(own, to: &writer)
            try Self.write(fields, to: &writer)
            writer.finish(length: length, isChunked: isChunked)
            request.body.withUnsafeBytes { writer.put(body: $0) }
            return writer.count
        }
        return buffer
    }

    /// The value of `Content-Length`: with a body, and without one where the method anticipates one (RFC 9110 section
    /// 8.6).
    private var length: Int? {
        switch request.method {
        case .post, .put, .patch: request.body.count
        default: request.body.isEmpty ? nil : request.body.count
        }
    }

    private static func write(_ fields: HTTPFields, to writer: inout RequestWriter) throws(RequestWriteError) {
        var refusal: RequestWriteError?
        _ = fields.forEachBytes { name, value in
            do throws(RequestWriteError) {
                try writer.field(name: name, value: value)
                return true
            } catch {
                refusal = error
                return false
            }
        }
        if let refusal { throw refusal }
    }

    /// The facts of the request for a log line, besides `more`: its host and its request id; never its path, fields or
    /// body.
    func facts(_ more: Logger.Metadata) -> Logger.Metadata {
        var facts = more
        facts["host"] = "\(destination.origin)"
        if let id = request.context?.id { facts["request.id"] = "\(id)" }
        return facts
    }
}
