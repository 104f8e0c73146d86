/// One request and its response on a connection.
struct Exchange {
    /// The phases of an exchange, in order.
    enum Phase {
        /// The connection waits for a request, or its head is still coming.
        case none
        /// The head has passed every check; the handler has not started.
        case accepted
        /// The handler works on the response.
        case running
        /// There is a response; it is queued when the request has been read to its end.
        case answered
        /// libmicrohttpd has the response.
        case queued
    }

    /// Why the exchange waits, and how libmicrohttpd goes on.
    enum Pause {
        /// The exchange does not wait.
        case none
        /// Until there is a response, while libmicrohttpd asks for it in each run: cheaper than suspending the
        /// connection, as long as the wait is short.
        case parked
        /// Suspended until the reader of the body has made room.
        case room
        /// Suspended until there is a response.
        case answer
        /// Suspended until the writer of a streamed response has more.
        case output
    }

    /// The number of the exchange on its connection, from 0.
    var id: UInt64
    var phase = Phase.none
    /// The response, from the phase `.answered` until it is queued.
    var response: ServerResponse?
    var pause = Pause.none
    /// True if the exchange counts among the requests that a stop waits for.
    var isCounted = false
    /// True if the next call of libmicrohttpd is to end the connection.
    var aborts = false
    /// True if the response carries `Connection: close`.
    var closes = false
    /// The fields of the request, kept only if refusals depend on the origin.
    var headers: RequestHeaders?
    /// True if the request method is HEAD.
    var isHead = false
    /// The handler's task, while the handler or the function that writes a streamed body runs.
    var task: Task<Void, Never>?
    var taskRuns = false
    /// When a sweep first saw the exchange, with the handler running or the body in flight.
    var startSeen: UInt64?
    /// The time at which a sweep last saw the exchange.
    var sweptAt: UInt64?
    /// The milliseconds for which the reader has held the client back.
    var heldBack: UInt64 = 0
    /// When a sweep first saw the response queued.
    var queueSeen: UInt64?
    /// Bytes that the client's system had acknowledged on the connection at `queueSeen`.
    var takenBefore: UInt64 = 0
    /// Milliseconds that the client gets for the response beyond the response time.
    var sendAllowance: UInt64 = 0
    var upload = Upload()
    var output: Output?
    /// `ServerResponse.held` of the response.
    var held: (any AnyObject & Sendable)?

    init(id: UInt64) {
        self.id = id
    }
}

/// The body of a request on its way to its reader.
struct Upload {
    /// The number of buffered bytes at which the client is held back until the reader takes them.
    static let room = 64 * 1024

    var buffer: [UInt8] = []
    /// Bytes taken from the client so far.
    var received = 0
    var contentLength: Int?
    var isComplete = false
    /// True if the rest of the body is thrown away, because the request has a response.
    var isDiscarded = false
    var failure: BodyError?
    /// The reader that waits for the next piece of the body.
    ///
    /// It is resumed with the error, because the exchange may be over when its task runs again. The continuation is
    /// unsafe because an unsafe one costs nothing while it is nil. The change that takes it out has it resumed, once.
    var waiter: UnsafeContinuation<BodyError?, Never>?
}

/// A streamed response body on its way to the client.
struct Output {
    /// The number of buffered bytes at which the writer is held back until the client takes them.
    static let room = 64 * 1024

    var buffer: [UInt8] = []
    /// The offset in the buffer at which the unsent part begins.
    var start = 0
    /// Bytes that may still be written; nil for any number.
    var allowance: Int?
    var isEnded = false
    var hasFailed = false
    /// When the client last took bytes, or the buffer stopped being empty.
    var progress: UInt64
    var waiter: UnsafeContinuation<Void, Never>?
    /// True from the first byte of a piece that is written to its last.
    var isWriting = false

    var pending: Int { buffer.count - start }
}

/// The effects of a change of state, which follow it, because they may lead to another change.
struct Effects {
    /// True if a suspended connection is resumed.
    var resumes = false
    /// True if a parked connection is looked after.
    var settles = false
    var cancelled: Task<Void, Never>?
    var reader: UnsafeContinuation<BodyError?, Never>?
    var failure: BodyError?
    var writer: UnsafeContinuation<Void, Never>?
}

extension Exchange {
    /// True while the client owes a part of the body and is free to send it.
    var isReceiving: Bool {
        switch phase {
        case .accepted, .running, .answered: !upload.isComplete && pause != .room
        case .none, .queued: false
        }
    }

    /// True if libmicrohttpd waits for the response.
    var waitsForAnswer: Bool { pause == .answer || pause == .parked }

    /// Ends the wait if it is for one of these reasons; `.answer` includes a parked connection.
    mutating func resume(_ effects: inout Effects, from pauses: Pause...) {
        if pause == .parked, pauses.contains(.answer) {
            pause = .none
            effects.settles = true
            return
        }
        guard pause != .none, pauses.contains(pause) else { return }
        pause = .none
        effects.resumes = true
    }

    /// Stores the response that will be sent.
    mutating func answer(_ response: ServerResponse) {
        self.response = response
        held = response.held
        phase = .answered
    }

    /// Wakes the reader of the body if it waits.
    mutating func wakeReader(_ effects: inout Effects) {
        guard let waiter = upload.waiter else { return }
        effects.reader = waiter
        effects.failure = upload.failure
        upload.waiter = nil
    }

    /// Wakes the writer of the response if it waits.
    mutating func wakeWriter(_ effects: inout Effects) {
        effects.writer = output?.waiter
        output?.waiter = nil
    }

    /// Ends the work for the client: the task is cancelled, and its reads and writes fail.
    mutating func hangUp(_ failure: BodyError, _ effects: inout Effects) {
        if taskRuns { effects.cancelled = task }
        if upload.failure == nil, !upload.isComplete { upload.failure = failure }
        output?.hasFailed = true
        wakeReader(&effects)
        wakeWriter(&effects)
    }
}
