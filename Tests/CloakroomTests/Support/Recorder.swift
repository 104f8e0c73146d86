import Basics
import Logging

/// Everything that leaves the server: answers to browsers and log lines, kept to be searched for secrets.
final class Recorder: Sendable {
    private let state = Locked<[String]>([])

    /// Keeps a text.
    func record(_ text: String) {
        state.withLock { $0.append(text) }
    }

    /// Everything kept.
    var texts: [String] { state.withLock { $0 } }

    /// A logger that writes into this recorder, at every level.
    func logger(_ label: String) -> Logger {
        Logger(label: label) { _ in RecordingHandler(recorder: self) }
    }
}

/// Turns each log line with its metadata into text.
private struct RecordingHandler: LogHandler {
    let recorder: Recorder
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, own in own }
        let pairs = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        recorder.record("\(event.level) \(event.message) \(pairs.joined(separator: " "))")
    }
}
