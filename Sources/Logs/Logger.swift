/// Writes log lines of one label to one destination.
///
/// A value: a copy with metadata of its own changes no other. Message and metadata are built only when the line is
/// written. Messages are constant sentences and values go into metadata; a `Secret` or `SecretBytes` renders as
/// `<secret>` in both, also inside optionals, collections and structs.
public struct Logger: Sendable {
    /// Says which part of a program a line comes from.
    public let label: String
    /// The threshold that sets the level, until the logger is given a level of its own.
    public private(set) var threshold: LogThreshold?
    @usableFromInline var ownLevel: Level
    @usableFromInline var metadata: Metadata = [:]
    /// Nil is nowhere, so that a silent logger is told apart without a call.
    @usableFromInline let destination: (any LogDestination)?

    /// A logger that writes to a destination.
    ///
    /// - Parameters:
    ///   - label: Says which part of a program a line comes from.
    ///   - level: The least level that is written.
    ///   - destination: Gets every line of that level or above.
    public init(label: String, level: Level = .info, to destination: any LogDestination) {
        self.label = label
        ownLevel = level
        self.destination = destination
    }

    /// A logger whose level, and that of its copies, can be changed while the program runs.
    ///
    /// - Parameters:
    ///   - label: Says which part of a program a line comes from.
    ///   - threshold: Says the least level that is written.
    ///   - destination: Gets every line of that level or above.
    public init(label: String, threshold: LogThreshold, to destination: any LogDestination) {
        self.init(label: label, level: threshold.level, to: destination)
        self.threshold = threshold
    }

    private init() {
        label = ""
        ownLevel = .critical
        destination = nil
    }

    /// The least level that is written; a logger that is given one of its own no longer goes by a threshold.
    public var logLevel: Level {
        @inlinable get { threshold?.level ?? ownLevel }
        set {
            ownLevel = newValue
            threshold = nil
        }
    }

    /// A logger that writes nothing, at any level; the default of library calls.
    public static let silent = Logger()

    /// A logger of another label to the same destination: it writes from `info` on, whatever this one leaves out, and in JSON
    /// where the destination is `LogLines`: whole lines of it, or behind the head of a line of text.
    ///
    /// - Parameter label: Says which part of a program a line comes from.
    /// - Returns: A silent logger for a silent one; without metadata of its own.
    package func inJSON(label: String) -> Logger {
        guard let destination else { return .silent }
        return Logger(label: label, level: .info, to: (destination as? LogLines)?.inJSON() ?? destination)
    }

    /// One entry of what every line of this logger carries; nil removes it.
    public subscript(metadataKey key: String) -> MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line when its level is high enough.
    ///
    /// - Parameters:
    ///   - level: How much the line matters.
    ///   - message: A constant sentence.
    ///   - metadata: The values; these win over the logger's own.
    ///   - file: Where the call stands, as `Module/File.swift`.
    @inlinable @inline(__always)
    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        file: String = #fileID
    ) {
        if level >= logLevel, destination != nil {
            write(level, message(), metadata(), file)
        }
    }

    @usableFromInline @inline(never)
    func write(_ level: Level, _ message: Message, _ added: Metadata?, _ file: String) {
        var all = metadata
        if let added { all.merge(added) { $1 } }
        destination?.write(LogEvent(label: label, level: level, message: message, metadata: all, file: file))
    }
}
