internal import Basics
public import Logs

/// Keeps every log line as text, and whatever else is to be searched with them.
public final class RecordedLog: Sendable {
    private let kept = Locked<(lines: [String], worst: Logger.Level?)>(([], nil))

    /// An empty log.
    public init() {}

    /// Everything kept, in order.
    public var lines: [String] { kept.withLock { $0.lines } }

    /// The highest level that was logged; nil when nothing was.
    public var worst: Logger.Level? { kept.withLock { $0.worst } }

    /// Keeps a text beside the log lines.
    public func record(_ text: String) {
        kept.withLock { $0.lines.append(text) }
    }

    /// A logger that writes here.
    public func logger(_ label: String = "test", level: Logger.Level = .trace) -> Logger {
        Logger(label: label, level: level, to: Lines(log: self))
    }

    fileprivate func keep(_ level: Logger.Level, _ line: String) {
        kept.withLock { kept in
            kept.lines.append(line)
            kept.worst = max(kept.worst ?? level, level)
        }
    }
}

/// Turns each log line with its metadata into text.
private struct Lines: LogDestination {
    let log: RecordedLog

    func write(_ event: LogEvent) {
        let text = event.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        log.keep(event.level, "\(event.level) \(event.message) \(text)")
    }
}
