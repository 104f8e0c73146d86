/// One request and its answer on a connection.
///
/// Everything that the connection's thread, the handler's task and the reaper decide about together. Lives behind the lock
/// of `Connection`.
struct Exchange {
    /// How far it has come.
    enum Phase {
        /// Between requests, or the head is still coming.
        case none
        /// The head is good; the handler has not started.
        case accepted
        /// The handler works on the answer.
        case running
        /// There is an answer; it is sent when the request has been read to its end.
        case answered
        /// libmicrohttpd has the answer.
        case queued
    }

    /// Why libmicrohttpd has suspended the connection.
    enum Pause {
        /// The connection is not suspended.
        case none
        /// Until the reader of the body has made room.
        case room
        /// Until there is an answer.
        case answer
        /// Until the writer of a streamed response has more.
        case output
    }

    /// Tells this exchange from the ones before and after it on the connection.
    var id: UInt64
    var phase = Phase.none
    /// From `.answered` until it is queued.
    var response: ServerResponse?
    var pause = Pause.none
    /// Counts among the requests that a stop waits for.
    var isCounted = false
    /// The next call of libmicrohttpd is to end the connection.
    var aborts = false
    /// The answer carries `Connection: close`.
    var closes = false
    /// The fields of the request, where a refusal may depend on them.
    var headers: RequestHeaders?
    /// The client asked for the head alone.
    var isHead = false
    /// The handler, while it or the function that writes the body runs.
    var task: Task<Void, Never>?
    var taskRuns = false
    /// When the reaper first saw the handler or the body under way.
    var startSeen: UInt64?
    /// When the reaper first saw the answer on its way.
    var queueSeen: UInt64?
    /// Bytes that the client had taken of the connection by then.
    var takenBefore: UInt64 = 0
    /// Milliseconds that the client gets for the answer beyond the response time.
    var sendAllowance: UInt64 = 0
    var upload = Upload()
    var output: Output?
    /// `ServerResponse.held` of the answer.
    var held: (any AnyObject & Sendable)?

    init(id: UInt64) {
        self.id = id
    }
}

/// The body of a request on its way to its reader.
struct Upload {
    /// How much waits for the reader before the client is held back.
    static let room = 64 * 1024

    var buffer: [UInt8] = []
    /// Bytes taken from the client so far.
    var received = 0
    var contentLength: Int?
    var isComplete = false
    /// Nobody will read the rest.
    var isDiscarded = false
    var failure: BodyError?
    /// Gets the error, because the exchange may be over when its task runs again.
    ///
    /// Unsafe continuations, because they cost nothing while there is none. Each is resumed once: whoever takes it out
    /// under the lock resumes it.
    var waiter: UnsafeContinuation<BodyError?, Never>?
}

/// A streamed response body on its way to the client.
struct Output {
    /// How much waits for the client before the writer is held back.
    static let room = 64 * 1024

    var buffer: [UInt8] = []
    /// Where the unsent part of the buffer begins.
    var start = 0
    /// Bytes that may still be written; nil for any number.
    var allowance: Int?
    var isEnded = false
    var hasFailed = false
    /// When the client last took something, or the buffer stopped being empty.
    var progress: UInt64
    var waiter: UnsafeContinuation<Void, Never>?

    var pending: Int { buffer.count - start }
}

/// What is to be done once the lock is released.
struct Effects {
    var resumes = false
    var cancelled: Task<Void, Never>?
    var reader: UnsafeContinuation<BodyError?, Never>?
    var failure: BodyError?
    var writer: UnsafeContinuation<Void, Never>?
    var endsCount = false
    /// What an answer that is over has kept: given back outside of the lock.
    var held: (any AnyObject & Sendable)?
    /// A refusal and its answer, for the log.
    var noted: (RequestError, ServerResponse)?
}

extension Exchange {
    /// True while the client owes a part of the body and is free to send it.
    var isReceiving: Bool {
        switch phase {
        case .accepted, .running, .answered: !upload.isComplete && pause != .room
        case .none, .queued: false
        }
    }

    /// Lets libmicrohttpd go on if it waits for one of these.
    mutating func resume(_ effects: inout Effects, from pauses: Pause...) {
        guard pause != .none, pauses.contains(pause) else { return }
        pause = .none
        effects.resumes = true
    }

    /// Takes the answer that will be sent.
    mutating func answer(_ response: ServerResponse) {
        self.response = response
        held = response.held
        phase = .answered
    }

    /// Wakes the reader of the body.
    mutating func wakeReader(_ effects: inout Effects) {
        guard let waiter = upload.waiter else { return }
        effects.reader = waiter
        effects.failure = upload.failure
        upload.waiter = nil
    }

    /// Wakes the writer of the response.
    mutating func wakeWriter(_ effects: inout Effects) {
        effects.writer = output?.waiter
        output?.waiter = nil
    }

    /// Ends all that goes on for the client: the task is cancelled, its reads and writes fail.
    mutating func hangUp(_ failure: BodyError, _ effects: inout Effects) {
        if taskRuns { effects.cancelled = task }
        if upload.failure == nil, !upload.isComplete { upload.failure = failure }
        output?.hasFailed = true
        wakeReader(&effects)
        wakeWriter(&effects)
    }
}
