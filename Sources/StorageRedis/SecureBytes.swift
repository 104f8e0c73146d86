internal import Cryptography

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// How far bytes got on their way to the network.
enum SendProgress {
    /// The system took so many of the caller's bytes; 0 if it took only what TLS itself had to say.
    case took(Int)
    /// The system takes no more now.
    case full
    /// The connection is broken, with the error number of the system.
    case failed(Int32)

    /// Sends bytes as they are.
    static func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> SendProgress {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        guard count <= 0 else { return .took(count) }
        return errno == EAGAIN || errno == EINTR ? .full : .failed(errno)
    }
}

/// The TLS of one link, with what the system has not taken yet.
///
/// Bytes of the caller count as sent once the system took the whole record that holds them: the server can open no part of
/// one. One record at a time waits for the system.
final class SecureBytes {
    private let client: TLSClient
    private var sealed: [UInt8] = []
    private var sent = 0
    /// The record of the caller: the number of its bytes, and where it ends in `sealed`.
    private var record: (count: Int, end: Int)?
    private let opened = UnsafeMutableRawBufferPointer.allocate(byteCount: TLSClient.recordBytes, alignment: 8)

    init(_ client: TLSClient) {
        self.client = client
    }

    deinit {
        opened.deallocate()
    }

    /// True if nothing waits for the system.
    var isEmpty: Bool { sent == sealed.count }
    /// True once the server said that it sends nothing more.
    var isEnded: Bool { client.isEnded }

    /// Goes on with the handshake; true once it is done.
    ///
    /// - Throws: Why there will be no connection.
    func handshake() throws(TLSError) -> Bool {
        defer { collect() }
        return try client.handshake()
    }

    /// Takes bytes of the network.
    ///
    /// - Throws: `.library`.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        try client.receive(bytes)
    }

    /// Hands over bytes that the server sent, one record or a part of it.
    ///
    /// - Returns: False if there are none; nil if they were not taken.
    /// - Throws: Why the connection ended.
    func open(_ body: (UnsafeRawBufferPointer) -> Bool) throws(TLSError) -> Bool? {
        defer { collect() }
        let count = try client.open(into: opened)
        guard count > 0 else { return false }
        return body(UnsafeRawBufferPointer(rebasing: opened[..<count])) ? true : nil
    }

    /// Sends what waits, then the beginning of the caller's bytes.
    ///
    /// - Parameters:
    ///   - bytes: The caller's bytes, from the first that did not count as sent.
    ///   - descriptor: The socket.
    /// - Returns: How far the caller's bytes got.
    func send(_ bytes: UnsafeRawBufferPointer = .init(start: nil, count: 0), to descriptor: Int32) -> SendProgress {
        if record == nil, !bytes.isEmpty {
            let count = min(bytes.count, TLSClient.recordBytes)
            do throws(TLSError) {
                try client.seal(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            } catch {
                return .failed(EPROTO)
            }
            collect()
            record = (count, sealed.count)
        }
        while sent < sealed.count {
            let progress = sealed.withUnsafeBytes { SendProgress.send(.init(rebasing: $0[sent...]), to: descriptor) }
            guard case .took(let count) = progress else { return took() ?? progress }
            sent += count
        }
        return took() ?? .took(0)
    }

    /// The record of the caller, once the system took it.
    private func took() -> SendProgress? {
        defer { if isEmpty { (sealed, sent) = ([], 0) } }
        // rule: a record counts as sent when the system took the whole of it
        guard let record, sent >= record.end else { return nil }
        self.record = nil
        return .took(record.count)
    }

    /// Says that nothing more comes, as far as the system takes it at once.
    ///
    /// A record that the system took in part would hide the end from the server, so nothing follows it.
    func end(at descriptor: Int32) {
        guard isEmpty else { return }
        client.end()
        collect()
        _ = send(to: descriptor)
    }

    private func collect() {
        let output = client.takeOutput()
        if !output.isEmpty { sealed += output }
    }
}
