import Basics
import Logs
import TestSupport
import Testing

@Suite("A secret in a log line")
struct LogSecretTests {
    private struct Credentials: Sendable {
        let user = "demo"
        let password: Secret<String>
        let key: SecretBytes?
    }

    private typealias Outcome = Result<Secret<String>, any Error>

    private enum Answer: Sendable {
        case password(Secret<String>, attempt: Int)
    }

    private struct Described: CustomStringConvertible, Sendable {
        let credentials: Credentials
        var description: String { "\(credentials)" }
    }

    private static let text = Secret("canary")
    private static let bytes = SecretBytes(Array("canary".utf8))
    private static let credentials = Credentials(password: text, key: bytes)

    /// Each interpolated into a message and a value of metadata.
    private static let interpolated: [(name: String, message: Logger.Message, value: Logger.MetadataValue)] = [
        ("text", "\(text)", "\(text)"),
        ("bytes", "\(bytes)", "\(bytes)"),
        ("optional", "\(Optional(text) as Any)", "\(Optional(bytes) as Any)"),
        ("array", "\([text, text])", "\([bytes])"),
        ("set", "\(Set([text]))", "\(Set([text]))"),
        ("dictionary", "\(["a": text])", "\(["a": [bytes]])"),
        ("key of a dictionary", "\([text: 1])", "\([text: [1]])"),
        ("tuple", "\((1, text))", "\((bytes, text))"),
        ("struct", "\(credentials)", "\(credentials)"),
        ("structs in an array", "\([credentials])", "\([Optional(credentials)])"),
        ("enum", "\(Answer.password(text, attempt: 1))", "\([Answer.password(text, attempt: 1)])"),
        ("result", "\(Outcome.success(text))", "\([Outcome.success(text)])"),
        ("secret of a secret", "\(Secret(text))", "\(Secret(credentials))"),
        ("described", "\(String(describing: text))", "\(String(describing: credentials))"),
        ("reflected", "\(String(reflecting: text))", "\(String(reflecting: credentials))"),
    ]

    /// Each put into metadata as it is.
    private static let values: [(name: String, value: Logger.MetadataValue)] = [
        ("text", .stringConvertible(text)),
        ("bytes", .stringConvertible(bytes)),
        ("array", .array([.stringConvertible(text), [.stringConvertible(bytes)]])),
        ("dictionary", .dictionary(["a": .stringConvertible(text), "b": ["c": .stringConvertible(bytes)]])),
        ("array of secrets", .stringConvertible([text])),
        ("dictionary of secrets", .stringConvertible(["a": bytes])),
        ("described", .stringConvertible(Described(credentials: credentials))),
    ]

    @Test("is shown as such when it is interpolated", arguments: [LogLines.Format.text, .json])
    func interpolated(format: LogLines.Format) {
        for (name, message, value) in Self.interpolated {
            for metadata in [nil, ["v": value], ["v": [value]], ["v": ["k": value]]] as [Logger.Metadata?] {
                let collector = LineCollector()
                collector.logger(format).info(metadata == nil ? message : "m", metadata: metadata)
                #expect(collector.text.contains("<secret>") && !collector.text.contains("canary"), "\(name)")
                #expect(!collector.text.contains("99, 97, 110"), "\(name)")
            }
        }
    }

    @Test("is shown as such when it is a value of metadata", arguments: [LogLines.Format.text, .json])
    func values(format: LogLines.Format) {
        for (name, value) in Self.values {
            let collector = LineCollector()
            var logger = collector.logger(format)
            logger[metadataKey: "own"] = value
            logger.info("m")
            logger.info("m", metadata: ["call": value])
            #expect(collector.text.contains("<secret>") && !collector.text.contains("canary"), "\(name)")
            #expect(!collector.text.contains("99, 97, 110"), "\(name)")
        }
    }

    @Test func `is shown as such to a destination that prints or dumps the event`() throws {
        let seen = Locked<LogEvent?>(nil)
        let logger = Logger(label: "test", to: Keeper(seen: seen))
        logger.info("\(Self.text)", metadata: ["a": .stringConvertible(Self.text)])
        let event = try #require(seen.withLock { $0 })
        var dumped = ""
        dump(event, to: &dumped)
        for text in ["\(event)", String(reflecting: event), dumped] {
            #expect(text.contains("<secret>") && !text.contains("canary"))
        }
    }

    private struct Keeper: LogDestination {
        let seen: Locked<LogEvent?>

        func write(_ event: LogEvent) {
            seen.withLock { $0 = event }
        }
    }
}
