internal import Basics
internal import Glibc

/// A request as it came over the wire.
public struct PeerRequest: Sendable, Equatable {
    /// The connection it came on, from 1.
    public let connection: Int
    /// Request line and fields, without line ends.
    public let lines: [String]
    /// The body, as long as `Content-Length` says.
    public let body: [UInt8]

    /// The values of a field, in order; the name in lower case.
    public func values(_ name: String) -> [String] {
        lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
            return String(line[line.index(after: colon)...].drop { $0 == " " })
        }
    }
}

/// One connection of a `ScriptedPeer`; all calls block.
public final class PeerConnection: Sendable {
    /// Its number among the peer's connections, from 1.
    public let number: Int

    private struct State {
        var buffer: [UInt8] = []
        var open = true
    }

    /// The descriptor, for a test that speaks TLS on it.
    public let socket: Int32
    private let state = Locked(State())
    private let onRequest: @Sendable (PeerRequest) -> Void

    init(_ socket: Int32, number: Int, onRequest: @escaping @Sendable (PeerRequest) -> Void) {
        self.socket = socket
        self.number = number
        self.onRequest = onRequest
    }

    /// Reads one request with its body; nil when the other side closed before it was complete.
    public func readRequest() -> PeerRequest? {
        guard let head = readHead() else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        let partial = PeerRequest(connection: number, lines: lines, body: [])
        guard let body = read(partial.values("content-length").first.flatMap { Int($0) } ?? 0) else { return nil }
        let request = PeerRequest(connection: number, lines: lines, body: body)
        onRequest(request)
        return request
    }

    /// Reads up to the empty line that ends a head; nil when the other side closed before it.
    public func readHead() -> String? {
        while true {
            let head = state.withLock { state -> String? in
                guard let end = state.buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
                defer { state.buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: state.buffer[..<end.lowerBound], as: UTF8.self)
            }
            if let head { return head }
            guard fill() else { return nil }
        }
    }

    /// Reads exactly this many bytes; nil when the other side closed before.
    public func read(_ count: Int) -> [UInt8]? {
        while true {
            let bytes = state.withLock { state -> [UInt8]? in
                guard state.buffer.count >= count else { return nil }
                defer { state.buffer.removeFirst(count) }
                return Array(state.buffer.prefix(count))
            }
            if let bytes { return bytes }
            guard fill() else { return nil }
        }
    }

    /// Reads what has come, one byte or more; nil when the other side closed.
    public func readSome() -> [UInt8]? {
        guard state.withLock({ !$0.buffer.isEmpty }) || fill() else { return nil }
        return state.withLock { state in
            defer { state.buffer = [] }
            return state.buffer
        }
    }

    /// Writes the text; false when the other side is gone.
    @discardableResult
    public func write(_ text: String) -> Bool {
        write(Array(text.utf8))
    }

    /// Writes the bytes; false when the other side is gone.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(socket, buffer.baseAddress?.advanced(by: sent), buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Reads and drops until the other side closes.
    public func waitForClose() {
        while fill() { state.withLock { $0.buffer = [] } }
    }

    /// Closes, after what was written.
    public func close() {
        let open = state.withLock { state in
            defer { state.open = false }
            return state.open
        }
        if open { _ = Glibc.close(socket) }
    }

    /// Closes with a reset instead of an end of stream.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Ends both directions without giving the descriptor away, so that the script's thread wakes up.
    public func hangUp() {
        state.withLock { state in
            if state.open { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(socket, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            state.withLock { $0.buffer.append(contentsOf: chunk.prefix(count)) }
            return true
        }
    }
}
