/// Where log lines go; the one thing to implement for a destination of one's own.
///
/// A logger gets its destination when it is made, and every copy keeps it; nothing holds for the whole process.
public protocol LogDestination: Sendable {
    /// Takes one line, on the thread of the call that logs it.
    ///
    /// Calls come from many threads at once, only for lines whose level the logger lets through. What cannot be
    /// written is the destination's own affair: the caller neither waits for an outcome nor hears of it. Text of an
    /// event may hold line breaks and other control characters, which the destination renders harmless. Logging in
    /// here to a logger of the same destination never ends.
    ///
    /// - Parameter event: The line with label, level and metadata.
    func write(_ event: LogEvent)
}
