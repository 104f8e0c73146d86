package import HTTPCore

/// The head of a request, as the parts that it is written from.
package struct RequestMessage: Sendable {
    /// The method, not CONNECT.
    package var method: HTTPMethod
    /// The path: begins with `/`, percent-encoded.
    package var path: String
    /// The query without its question mark, percent-encoded; nil for none.
    package var query: String?
    /// Host and port as `Host` has them.
    package var host: String
    /// The fields, without those that the codec writes: `Host`, `Content-Length`, `Connection`.
    package var fields: HTTPFields
    /// True if the request is the last of its connection.
    package var closes = false

    /// Makes a head; it is checked when it is written.
    package init(_ method: HTTPMethod, _ path: String, query: String? = nil, host: String, fields: HTTPFields = [:]) {
        self.method = method
        self.path = path
        self.query = query
        self.host = host
        self.fields = fields
    }

    /// The exact size of the request in bytes.
    ///
    /// - Parameter body: The number of bytes of the body.
    /// - Returns: Head and body together.
    package func size(body: Int) -> Int {
        RequestWriter.startSize(method: method.rawValue, path: path, query: query, host: host)
            + RequestWriter.fieldsSize(fields.count, bytes: fields.byteCount)
            + RequestWriter.finishSize(length: length(body), closes: closes) + body
    }

    /// Writes the request, head and body, in one pass.
    ///
    /// - Parameters:
    ///   - body: The body; empty for none.
    ///   - memory: At least `size(body:)` bytes.
    /// - Returns: The number of bytes written, which is that size.
    /// - Throws: The part that cannot be written; what the memory then holds must not be sent.
    package func write(
        body: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer
    ) throws(RequestWriteError) -> Int {
        // rule: a request of HEAD or TRACE is written without a body
        if !body.isEmpty, method == .head || method == .trace { throw .body }
        var writer = RequestWriter(into: memory)
        try writer.start(method: method.rawValue, path: path, query: query, host: host)
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
        writer.finish(length: length(body.count), closes: closes)
        writer.put(body: body)
        return writer.count
    }

    /// Writes the request into an array of its size.
    ///
    /// - Parameter body: The body; empty for none.
    /// - Returns: The bytes to send.
    /// - Throws: The part that cannot be written.
    package func bytes(body: [UInt8] = []) throws(RequestWriteError) -> [UInt8] {
        var refusal: RequestWriteError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size(body: body.count)) { memory, count in
            do throws(RequestWriteError) {
                count = try body.withUnsafeBufferPointer { body throws(RequestWriteError) in
                    try write(body: UnsafeRawBufferPointer(body), into: UnsafeMutableRawBufferPointer(memory))
                }
            } catch {
                refusal = error
            }
        }
        if let refusal { throw refusal }
        return bytes
    }

    /// The value of `Content-Length`: with a body, and without one where the method anticipates one (RFC 9110 section
    /// 8.6).
    private func length(_ body: Int) -> Int? {
        body > 0 || method == .post || method == .put || method == .patch ? body : nil
    }
}
