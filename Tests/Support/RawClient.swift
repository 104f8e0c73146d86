internal import Basics
internal import Dispatch
internal import Glibc

/// A TCP client that sends exactly the bytes it is given, for tests of what a well-behaved client would never send.
///
/// Its system calls block a thread of its own queue, never one of the pool that the server's tasks need. Every wait ends after
/// `patience`, so that a failing test ends.
public final class RawClient: Sendable {
    /// Why a read has no result.
    public enum Fault: Error, Equatable {
        /// No connection was made; the system's error number.
        case connect(Int32)
        /// The server closed.
        case closed
        /// The server reset the connection.
        case reset
        /// Nothing came for a long time.
        case silent
        /// What came is not a response.
        case malformed
    }

    private static let patience = 20
    private let socket: Int32
    private let queue = DispatchQueue(label: "raw-client")
    private let unread = Locked<[UInt8]>([])

    /// Connects.
    ///
    /// - Parameters:
    ///   - port: On this machine.
    ///   - address: 127.0.0.1 or `::1`.
    ///   - source: The IPv4 address of this machine to come from; nil for the system's own choice.
    ///   - receiveBuffer: The kernel's buffer for what is not read yet, in bytes; nil for the system's own choice.
    /// - Throws: `.connect` with the system's reason.
    public init(
        port: UInt16, address: String = "127.0.0.1", from source: String? = nil, receiveBuffer: Int32? = nil
    ) throws(Fault) {
        let isV6 = address.contains(":")
        socket = Glibc.socket(isV6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw .connect(errno) }
        var wait = timeval(tv_sec: Self.patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, size)
        var on: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        if var receiveBuffer { setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4) }
        if let source {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, source, &name.sin_addr)
            let isBound = withUnsafePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                    Glibc.bind(socket, name, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isBound else { throw .connect(errno) }
        }
        var result: Int32 = -1
        if isV6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port.bigEndian
            inet_pton(AF_INET6, address, &name.sin6_addr)
            result = Self.connect(socket, &name)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            inet_pton(AF_INET, address, &name.sin_addr)
            result = Self.connect(socket, &name)
        }
        // Nothing is left to initialise, so `deinit` closes the socket.
        guard result == 0 else { throw .connect(errno) }
    }

    private static func connect<Address>(_ socket: Int32, _ name: inout Address) -> Int32 {
        withUnsafePointer(to: &name) { name in
            name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                Glibc.connect(socket, name, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    deinit {
        Glibc.close(socket)
    }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws(Fault) -> Result) async throws(Fault)
        -> Result
    {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Swift.Result<Result, Fault>, Never>) in
            queue.async {
                do throws(Fault) { continuation.resume(returning: .success(try body())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Sends the characters of a text, each as one byte (ISO 8859-1), so that `\u{0}` and `\u{FF}` can be written.
    public func send(_ text: String) async throws(Fault) {
        try await send(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    /// Sends bytes; returns when the kernel has them all.
    public func send(_ bytes: [UInt8]) async throws(Fault) {
        try await onQueue { [socket] () throws(Fault) in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(
                        socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Self.fault() }
                sent += count
            }
        }
    }

    /// Sends as much as the kernel takes without waiting.
    ///
    /// - Returns: How many bytes that was; 0 when its buffers are full.
    public func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        let count = bytes.withUnsafeBytes {
            Glibc.send(
                socket, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        return max(count, 0)
    }

    /// Tells the server that nothing more will be sent.
    public func endSending() {
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Closes both directions; the server notices at once.
    public func close() {
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Ends the connection with a reset instead of an orderly close.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        Glibc.connect(socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Reads some bytes, at least one.
    public func receive(upTo limit: Int = 65_536) async throws(Fault) -> [UInt8] {
        let kept = unread.withLock { kept in
            defer { kept = [] }
            return kept
        }
        if !kept.isEmpty { return kept }
        return try await onQueue { [socket] () throws(Fault) in
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
                count = recv(socket, buffer.baseAddress, limit, 0)
                initialized = max(count, 0)
            }
            if count == 0 { throw .closed }
            if count < 0 { throw Self.fault() }
            return bytes
        }
    }

    private static func fault() -> Fault {
        switch errno {
        case EAGAIN: .silent
        case ECONNRESET, EPIPE: .reset
        default: .closed
        }
    }

    /// Reads until the server closes; a reset counts as closing.
    ///
    /// - Returns: All that came.
    public func receiveAll() async throws(Fault) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            do throws(Fault) { all += try await receive() } catch .closed { return all } catch .reset {
                return all
            } catch {
                throw error
            }
        }
    }

    /// Whether the server closes without sending anything more.
    public func isClosed() async throws(Fault) -> Bool {
        try await receiveAll().isEmpty
    }

    /// Reads one response; what follows it stays for the next call.
    ///
    /// - Parameter head: Whether the request was HEAD, so that no body follows.
    /// - Returns: The response, out of its chunks.
    /// - Throws: `.malformed` for what is no response, or why nothing came.
    public func response(toHead head: Bool = false) async throws(Fault) -> RawAnswer {
        var bytes: [UInt8] = []
        while true {
            if let (answer, used) = try RawAnswer.parse(bytes, toHead: head, isComplete: false) {
                let rest = Array(bytes[used...])
                unread.withLock { $0 = rest }
                return answer
            }
            do throws(Fault) { bytes += try await receive() } catch .closed {
                guard !bytes.isEmpty else { throw .closed }
                guard let (answer, _) = try RawAnswer.parse(bytes, toHead: head, isComplete: true) else {
                    throw .malformed
                }
                return answer
            } catch {
                throw error
            }
        }
    }
}
