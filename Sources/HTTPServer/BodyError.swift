/// Why the body of a request cannot be read to its end.
public enum BodyError: Error, Sendable, Equatable {
    /// The body is longer than the reader or the listener accepts: 413.
    case tooLarge
    /// The client disconnected, or the response to the request has been sent.
    case disconnected
    /// The body did not come in the time that the listener allows: 408.
    case timedOut
    /// The calling task was cancelled: by the deadline, by a disconnect or by the end of the server.
    case cancelled
}
