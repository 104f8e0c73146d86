import Basics
import Logs
import TestSupport
import Testing

@Suite("A logger")
struct LoggerTests {
    /// Keeps what it is given.
    private struct Kept: LogDestination {
        let events = Locked<[LogEvent]>([])

        func write(_ event: LogEvent) {
            events.withLock { $0.append(event) }
        }
    }

    private static let methods: [(Logger.Level, @Sendable (Logger, Logger.Message) -> Void)] = [
        (.trace, { $0.trace($1) }), (.debug, { $0.debug($1) }), (.info, { $0.info($1) }), (.notice, { $0.notice($1) }),
        (.warning, { $0.warning($1) }), (.error, { $0.error($1) }), (.critical, { $0.critical($1) }),
    ]

    @Test("writes its level and those above, no other", arguments: Logger.Level.allCases)
    func levels(least: Logger.Level) {
        let kept = Kept()
        let logger = Logger(label: "test", level: least, to: kept)
        for (_, method) in Self.methods { method(logger, "one") }
        for level in Logger.Level.allCases { logger.log(level: level, "two") }
        let above = Logger.Level.allCases.filter { $0 >= least }
        #expect(kept.events.withLock { $0.map(\.level) } == above + above)
    }

    @Test func `builds neither message nor metadata of a line that is not written`() {
        let built = Locked(0)
        func text() -> String {
            built.withLock { $0 += 1 }
            return "text"
        }
        let quiet = Logger(label: "test", level: .error, to: Kept())
        var silent = Logger.silent
        silent.logLevel = .trace
        for (level, _) in Self.methods {
            silent.log(level: level, "\(text())", metadata: ["a": "\(text())"])
            if level < .error { quiet.log(level: level, "\(text())", metadata: ["a": "\(text())"]) }
        }
        quiet.warning("\(text())", metadata: ["a": "\(text())"])
        silent.critical("\(text())", metadata: ["a": "\(text())"])
        #expect(built.withLock { $0 } == 0)
        quiet.error("\(text())", metadata: ["a": "\(text())"])
        #expect(built.withLock { $0 } == 2)
    }

    @Test func `starts at info unless told otherwise`() {
        #expect(Logger(label: "test", to: Kept()).logLevel == .info)
    }

    @Test func `hands on label, message, file and module of the call`() throws {
        let kept = Kept()
        Logger(label: "test", to: kept).notice("A thing")
        let event = try #require(kept.events.withLock { $0.first })
        #expect(event.label == "test" && event.level == .notice && event.message == "A thing" && event.metadata.isEmpty)
        #expect(event.file == "LogsTests/LoggerTests.swift" && event.module == "LogsTests")
    }

    @Test func `puts the metadata of a call over its own`() throws {
        let kept = Kept()
        var logger = Logger(label: "test", to: kept)
        logger[metadataKey: "own"] = "1"
        logger[metadataKey: "both"] = "1"
        logger[metadataKey: "gone"] = "1"
        logger[metadataKey: "gone"] = nil
        logger.info("m", metadata: ["both": "2", "call": "2"])
        logger.info("m")
        let shown = kept.events.withLock { $0.map { $0.metadata.mapValues(\.description) } }
        #expect(shown == [["own": "1", "both": "2", "call": "2"], ["own": "1", "both": "1"]])
        #expect(logger[metadataKey: "own"]?.description == "1" && logger[metadataKey: "gone"] == nil)
    }

    @Test func `is a value: a copy with a level and metadata of its own changes no other`() {
        let kept = Kept()
        let logger = Logger(label: "test", to: kept)
        var copy = logger
        copy.logLevel = .error
        copy[metadataKey: "of"] = "copy"
        logger.info("m")
        copy.info("not written")
        copy.error("m")
        #expect(kept.events.withLock { $0.map(\.metadata.count) } == [0, 1])
    }

    @Test func `goes by a threshold that is changed, and its copies do, but for those with a level of their own`() {
        let kept = Kept()
        let threshold = LogThreshold(.warning)
        let logger = Logger(label: "test", threshold: threshold, to: kept)
        var (copy, own) = (logger, logger)
        copy[metadataKey: "of"] = "copy"
        own.logLevel = .error
        func lines() -> Int {
            let before = kept.events.withLock { $0.count }
            for logger in [logger, copy, own] { logger.debug("m") }
            return kept.events.withLock { $0.count } - before
        }
        #expect(lines() == 0 && logger.logLevel == .warning)
        for level in Logger.Level.allCases {
            threshold.level = level
            #expect(logger.logLevel == level && copy.logLevel == level && own.logLevel == .error)
            #expect(lines() == (level <= .debug ? 2 : 0))
        }
    }

    @Test func `of many threads loses no line`() async {
        let kept = Kept()
        let logger = Logger(label: "test", to: kept)
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100 { logger.info("m") } } }
        }
        #expect(kept.events.withLock { $0.count } == 800)
    }

    @Test func `has levels in rising order, by the names of the settings`() {
        let names = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        #expect(Logger.Level.allCases.map(\.rawValue) == names)
        #expect(names.compactMap(Logger.Level.init(rawValue:)) == Logger.Level.allCases.sorted())
        #expect(["", "INFO", "warn", "info ", "fatal"].allSatisfy { Logger.Level(rawValue: $0) == nil })
        for (index, level) in Logger.Level.allCases.enumerated() {
            for (other, higher) in Logger.Level.allCases.enumerated() { #expect((level < higher) == (index < other)) }
        }
    }
}
