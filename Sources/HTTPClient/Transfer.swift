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
    /// The timer that looks whether the peer of a stream is idle too long.
    var idleTimer: TimerID?
    /// The last time at which the peer of a stream did something, or began to be waited for.
    private(set) var progress: ContinuousClock.Instant
    /// True while the peer is held back, because the reader of the answer is slow.
    var isHeldBack = false
    /// True while the next bytes of the upload are awaited.
    private(set) var awaitsUpload = false
    /// True once bytes of the upload were taken, which may be sent.
    private var hasUploaded = false
    /// True once the task has the head of the answer.
    var hasHead = false

    /// True if a byte of the request may have been sent.
    private(set) var wasSent = false

    init(_ exchange: ClientExchange) {
        self.exchange = exchange
        progress = exchange.deadline
    }

    /// Notes that the peer of a stream did something, or is waited for from now on.
    func noteProgress() {
        if exchange.stream != nil { progress = .now }
    }

    var plan: RequestPlan { exchange.plan }

    /// True if the request may be sent on another connection, after this one closed without a byte of an answer.
    ///
    /// It is safe, and this connection was used before. It is repeated once at most: `connect` opens a new one for it.
    func canRepeat(on connection: CurlConnection) -> Bool {
        // rule: a request of which a byte of an upload may have left is not repeated
        if hasUploaded { return false }
        // rule: a request on a new connection is not repeated
        guard connection.isReused else { return false }
        // rule: a request that is not safe is not repeated | true
        return plan.isSafe
    }

    /// Prepares for another connection.
    func startOver() {
        // Bytes of the upload that come meanwhile wait until the new connection is open.
        (connection, sent, awaitsUpload) = (nil, 0, false)
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
            request = try plan.write(agent: agent, isAbsolute: isAbsolute, upload: exchange.stream)
        } catch {
            throw .invalidRequest
        }
    }

    /// The reason why `send` returns.
    enum Sent {
        /// All of the request was sent.
        case all
        /// The connection has no room, or the others are to have their turn.
        case waitsForRoom
        /// The next bytes of the upload have not come.
        case waitsForUpload
        case failed
    }

    /// Sends what is left of the request, as far as there is room and at most about a megabyte.
    func send(on connection: CurlConnection) -> Sent {
        wasSent = true
        awaitsUpload = false
        var total = 0
        while true {
            guard var request else { return .failed }
            while sent < request.count {
                // A peer that reads fast must not keep the others waiting.
                if total >= 1_048_576 { return .waitsForRoom }
                switch connection.send(UnsafeRawBufferPointer(rebasing: request.view[sent...])) {
                case .bytes(let count):
                    (sent, total) = (sent + count, total + count)
                    noteProgress()
                case .wouldBlock: return .waitsForRoom
                case .failed: return .failed
                }
            }
            guard let stream = exchange.stream else { return .all }
            switch stream.takeOutgoing(&request) {
            case .bytes: (self.request, sent, hasUploaded) = (request, 0, true)
            case .end: return .all
            case .wait:
                awaitsUpload = true
                return .waitsForUpload
            }
        }
    }

    /// Reads bytes of the answer.
    ///
    /// - Returns: True when the answer is complete; more bytes than it has show in the reader's refusal.
    /// - Throws: The check that the answer failed.
    func read(_ bytes: UnsafeRawBufferPointer, by reader: inout ResponseParser) throws(HTTPCodecError) -> Bool {
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
            case .head where exchange.stream == nil: content.reserve(min(reader.missingLength ?? 0, 65_536))
            case .head: break
            case .body(let piece):
                let bytes = UnsafeRawBufferPointer(rebasing: left[piece])
                if let stream = exchange.stream { stream.append(bytes) } else { content.append(bytes) }
            case .end where progress.consumed == left.count: return true
            case .end: break
            }
            left = UnsafeRawBufferPointer(rebasing: left[progress.consumed...])
        }
    }

    /// The answer, once its reader is complete; for a stream its head, as soon as it was read.
    ///
    /// - Throws: `.malformed` for a head that cannot be handed on.
    func answer(_ head: ResponseHead?) throws(ExchangeError) -> ClientResponse {
        guard let head else { throw .closed }
        return ClientResponse(status: head.status, fields: try HTTPFields(head), body: content.bytes)
    }
}
