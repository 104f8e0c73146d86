import Basics
import Logs

struct KeptLines: LogDestination {
    let lines = Locked<[String]>([])

    func write(_ event: LogEvent) {
        lines.withLock { $0.append("\(event.level) \(event.label): \(event.message) \(event.metadata)") }
    }
}

func makeLogger(_ kept: KeptLines) -> Logger {
    Logger(label: "app", level: .debug, to: kept)
}
