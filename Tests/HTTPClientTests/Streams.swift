import Basics
import Glibc
import HTTPClient
import HTTPCore
import TestSupport
import Testing

extension Calls {
    /// Streams a request; its deadline is far away unless said otherwise.
    func stream(
        _ method: HTTPMethod = .get, _ address: String, _ upload: RequestStream? = nil,
        within time: Duration = .seconds(60), idle: Duration = .seconds(50)
    ) async throws -> StreamedResponse {
        var request = StreamedRequest(ClientRequest(method, try #require(WebURL(address))), upload: upload)
        request.idleTime = idle
        return try await transport.stream(request, deadline: .now + time)
    }

    /// What `stream` throws; nil, with an issue, when it does not throw.
    func streamFailure(
        _ method: HTTPMethod = .get, _ address: String, _ upload: RequestStream? = nil,
        within time: Duration = .seconds(60), idle: Duration = .seconds(50),
        at location: SourceLocation = #_sourceLocation
    ) async throws -> TransportError? {
        do {
            let answer = try await stream(method, address, upload, within: time, idle: idle)
            Issue.record("answered with \(answer.status)", sourceLocation: location)
            return nil
        } catch let error as TransportError {
            return error
        }
    }
}

/// The bytes that came of a body, and why no more did; nil after its end.
func drained(_ body: ResponseStream) async -> (bytes: [UInt8], failure: TransportError?) {
    var iterator = body.makeAsyncIterator()
    var bytes: [UInt8] = []
    while true {
        do throws(TransportError) {
            guard let piece = try await iterator.next() else { return (bytes, nil) }
            bytes += piece
        } catch {
            // It is no end that looks clean the second time.
            do throws(TransportError) {
                _ = try await iterator.next()
                Issue.record("an end after \(error)")
            } catch let second {
                #expect(second == error)
            }
            return (bytes, error)
        }
    }
}

/// A body that the test gives, and a count of the times that its reader was cancelled or came to its end.
///
/// `stream` returns after its reader, so that the count needs no waiting.
func given() -> (pieces: AsyncStream<[UInt8]>, more: AsyncStream<[UInt8]>.Continuation, left: Count) {
    let (pieces, more) = AsyncStream<[UInt8]>.makeStream()
    let left = Count()
    more.onTermination = { _ in left.add() }
    return (pieces, more, left)
}

/// A count that a peer's thread or a source's task adds to.
final class Count: Sendable {
    private let state = Locked(0)

    var value: Int { state.withLock { $0 } }

    func add(_ amount: Int = 1) { state.withLock { $0 += amount } }
}

extension PeerConnection {
    /// Reads a chunked body and drops the framing; nil if it does not end, or is not well-formed.
    func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            var line = ""
            while !line.hasSuffix("\r\n") {
                guard let byte = read(1) else { return nil }
                line += String(decoding: byte, as: UTF8.self)
            }
            guard let size = Int(line.dropLast(1), radix: 16), let data = read(size), read(2) == [13, 10] else {
                return nil
            }
            if size == 0 { return body }
            body += data
        }
    }

    /// Reads until the other side closes.
    ///
    /// - Returns: All that came.
    func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = readSome() { bytes += more }
        return bytes
    }

    /// Writes as much as the kernel takes, until it has taken nothing a thousand times in a row.
    func fill(upTo limit: Int, _ count: Count) {
        let piece = [UInt8](repeating: 7, count: 65_536)
        var idle = 0
        while idle < 1000, count.value < limit {
            let sent = piece.withUnsafeBytes {
                send(socket, $0.baseAddress, min($0.count, limit - count.value), Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            idle = sent > 0 ? 0 : idle + 1
            if sent > 0 { count.add(sent) } else { sched_yield() }
        }
    }
}

/// The ways in which an answer tells its end.
enum Framing: CaseIterable {
    case length
    case chunks
    case close

    /// The head of an answer whose body has this many bytes.
    func head(_ count: Int) -> String {
        switch self {
        case .length: "HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: \(count)\r\n\r\n"
        case .chunks: "HTTP/1.1 200 OK\r\nX: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        case .close: "HTTP/1.1 200 OK\r\nX: 1\r\n\r\n"
        }
    }

    /// A piece of the body.
    func piece(_ text: String) -> String {
        self == .chunks ? "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" : text
    }

    /// What follows the last piece.
    var end: String { self == .chunks ? "0\r\nX: trailer\r\n\r\n" : "" }
}
