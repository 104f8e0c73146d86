internal import CMicroHTTPD

/// Makes libmicrohttpd's form of a response.
enum ResponseBuilder {
    /// Makes libmicrohttpd's response object; the caller queues and then destroys it.
    ///
    /// - Parameters:
    ///   - response: The response of a handler or a refusal.
    ///   - source: Feeds a streamed body; nil leaves the body out, for HEAD and statuses without a body.
    ///   - closes: Adds `Connection: close`.
    /// - Returns: The object; nil when a field or the status cannot be sent, or there is no memory.
    static func make(_ response: ServerResponse, source: ResponseSource?, closes: Bool) -> OpaquePointer? {
        guard (200...599).contains(response.status), let made = body(response, source) else { return nil }
        var closes = closes
        for header in response.headers {
            switch header.handling {
            case .drop: break
            case .close: closes = true
            case .send where add(header, made): break
            case .send, .broken:
                MHD_destroy_response(made)
                return nil
            }
        }
        if closes { MHD_add_response_header(made, "Connection", "close") }
        return made
    }

    private static func add(_ header: ResponseHeader, _ made: OpaquePointer) -> Bool {
        var name = header.name
        return name.withUTF8 { name in
            header.withValueBytes { value in
                // Name and value become C strings in one stack buffer. libmicrohttpd takes no empty value, so a blank
                // stands for it: recipients strip blanks around a value (RFC 9110 section 5.5).
                let count = max(value.count, 1)
                return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.count + count + 2) { text in
                    _ = text[..<name.count].update(fromContentsOf: name)
                    text[name.count] = 0
                    text[name.count + 1] = UInt8(ascii: " ")
                    _ = text[(name.count + 1)...].update(fromContentsOf: value)
                    text[name.count + 1 + count] = 0
                    return text.withMemoryRebound(to: CChar.self) { text in
                        guard let start = text.baseAddress else { return false }
                        return MHD_add_response_header(made, start, start + name.count + 1) == .YES
                    }
                }
            }
        }
    }

    private static func body(_ response: ServerResponse, _ source: ResponseSource?) -> OpaquePointer? {
        switch response.body {
        case .none:
            // A 304 must not name a length that the 200 would not have.
            guard response.status != 304 else { return withoutLength() }
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream(let length, _):
            guard length ?? 0 >= 0 else { return nil }
            guard let source else {
                return length.map { MHD_create_response_from_callback(UInt64($0), 1, readNothing, nil, nil) }
                    ?? withoutLength()
            }
            let box = Unmanaged.passRetained(source)
            let made = MHD_create_response_from_callback(
                length.map(UInt64.init) ?? unknownLength, 32 * 1024, readStream, box.toOpaque(), releaseStream)
            if made == nil { box.release() }
            return made
        }
    }

    /// A response to HEAD or with 304 that tells no length.
    ///
    /// libmicrohttpd would send the last chunk of an empty body, which the client takes for the start of the next
    /// response; with this option it does not send the chunk, but closes the connection.
    private static func withoutLength() -> OpaquePointer? {
        guard let made = MHD_create_response_from_callback(unknownLength, 1, readNothing, nil, nil) else { return nil }
        cloakroom_mhd_without_chunks(made)
        return made
    }
}

/// The exchange whose writer feeds a streamed body.
final class ResponseSource {
    let connection: Connection
    let exchange: UInt64

    init(_ connection: Connection, exchange: UInt64) {
        self.connection = connection
        self.exchange = exchange
    }
}

/// `MHD_SIZE_UNKNOWN`, a cast macro that Swift does not import.
private let unknownLength = UInt64.max

/// `MHD_CONTENT_READER_END_WITH_ERROR`, a cast macro that Swift does not import.
private let endWithError = -2

private let readNothing: MHD_ContentReaderCallback = { _, _, _, _ in endWithError }

private let readStream: MHD_ContentReaderCallback = { context, _, buffer, room in
    guard let context, let buffer else { return endWithError }
    let source = Unmanaged<ResponseSource>.fromOpaque(context).takeUnretainedValue()
    return source.connection.takeOutput(
        of: source.exchange, into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
}

private let releaseStream: MHD_ContentReaderFreeCallback = { context in
    guard let context else { return }
    Unmanaged<ResponseSource>.fromOpaque(context).release()
}
