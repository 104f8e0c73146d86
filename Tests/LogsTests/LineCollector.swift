import Basics
import TestSupport

@testable import Logs

/// Keeps the lines that are written in a form, at one instant.
final class LineCollector: Sendable {
    private let kept = Locked<[[UInt8]]>([])
    private let time: ManualTime

    /// At 2026-01-01T00:00:00Z unless told otherwise.
    init(_ instant: Timestamp = Timestamp(seconds: 1_767_225_600)) {
        time = ManualTime(instant)
    }

    var lines: [[UInt8]] { kept.withLock { $0 } }
    var text: String { lines.map { String(decoding: $0, as: UTF8.self) }.joined() }

    func logger(_ format: LogLines.Format, _ label: String = "cloakroom", level: Logger.Level = .info) -> Logger {
        let lines = LogLines(format: format, time: time) { line in
            self.kept.withLock { $0.append(line) }
        }
        return Logger(label: label, level: level, to: lines)
    }
}
