internal import EventLoop
internal import HTTPCodec
internal import HTTPCore

/// One exchange from its admission to its end: its deadline, its connection, its bytes.
///
/// Used on its event thread only.
final class Transfer {
    let exchange: ClientExchange
    /// The deadline's timer.
    var deadline: TimerID?
    /// The connection that is opened for it or carries it; nil while it waits for a place.
    var connection: CurlConnection?
    /// The request as it is sent; nil before.
    private var request: CleansedBuffer?
    /// The number of bytes sent on the current connection.
    private var sent = 0
    private let content = CleansedBuffer()

    /// True if a byte of the request may have been sent.
    private(set) var wasSent = false
    /// True if a byte of an answer was received.
    private(set) var hasAnswerBytes = false
    /// True if it was sent on a kept connection that closed, and begins again on a new one.
    private(set) var isRepeated = false

    init(_ exchange: ClientExchange) {
        self.exchange = exchange
    }

    var plan: RequestPlan { exchange.plan }

    /// True if the request may be sent on another connection: it is safe, this one was used before and closed without a
    /// byte of an answer, and it was not repeated yet.
    func canRepeat(on connection: CurlConnection) -> Bool {
        connection.isReused && plan.isSafe && !hasAnswerBytes && !isRepeated
    }

    /// Prepares for another connection.
    func startOver() {
        (connection, sent, isRepeated) = (nil, 0, true)
    }

    /// Writes the request into memory, once.
    ///
    /// - Parameters:
    ///   - agent: The field `User-Agent` for a request that has none.
    ///   - throughProxy: True if a proxy is used.
    /// - Throws: `.invalidRequest` for a part that cannot be written.
    func prepare(_ agent: HTTPFields, throughProxy: Bool) throws(ExchangeError) {
        guard request == nil else { return }
        let isAbsolute = throughProxy && !plan.destination.isSecure
        do throws(RequestWriteError) {
            request = try plan.write(agent: agent, isAbsolute: isAbsolute)
        } catch {
            throw .invalidRequest
        }
    }

    /// Sends what is left of the request, as far as there is room and at most about a megabyte.
    ///
    /// - Returns: True when all of it was sent; nil when the connection failed.
    func send(on connection: CurlConnection) -> Bool? {
        guard let request else { return nil }
        wasSent = true
        let before = sent
        while sent < request.count {
            // A peer that reads fast must not keep the others waiting.
            if sent - before >= 1_048_576 { return false }
            switch connection.send(UnsafeRawBufferPointer(rebasing: request.view[sent...])) {
            case .bytes(let count): sent += count
            case .wouldBlock: return false
            case .failed: return nil
            }
        }
        return true
    }

    /// Reads bytes of the answer.
    ///
    /// - Returns: True when the answer is complete; more bytes than it has show in the reader's refusal.
    /// - Throws: The check that the answer failed.
    func read(_ bytes: UnsafeRawBufferPointer, by reader: inout ResponseParser) throws(HTTPCodecError) -> Bool {
        hasAnswerBytes = true
        var left = bytes
        while true {
            let progress: ResponseParser.Progress
            do throws(HTTPCodecError) {
                progress = try reader.read(left)
            } catch {
                if reader.isComplete { return true }
                throw error
            }
            switch progress.event {
            case .more: return false
            // An announced length is only a claim.
            case .head: content.reserve(min(reader.missingLength ?? 0, 65_536))
            case .body(let piece): content.append(UnsafeRawBufferPointer(rebasing: left[piece]))
            case .end where progress.consumed == left.count: return true
            case .end: break
            }
            left = UnsafeRawBufferPointer(rebasing: left[progress.consumed...])
        }
    }

    /// The answer, once its reader is complete.
    ///
    /// - Throws: `.malformed` for a head that cannot be handed on.
    func answer(_ head: ResponseHead?) throws(ExchangeError) -> ClientResponse {
        guard let head else { throw .closed }
        return ClientResponse(status: head.status, fields: try HTTPFields(head), body: content.bytes)
    }
}
