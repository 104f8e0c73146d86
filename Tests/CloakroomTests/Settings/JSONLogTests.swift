import Basics
import JSON
import Logging
import TestSupport
import Testing

@testable import Cloakroom

@Suite("A log line in JSON")
struct JSONLogTests {
    private func line(_ log: (Logger) -> Void) throws -> [String: JSONValue] {
        let lines = Locked<[[UInt8]]>([])
        var handler = JSONLogHandler(label: "cloakroom", time: ManualTime()) { line in
            lines.withLock { $0.append(line) }
        }
        handler[metadataKey: "always"] = "there"
        log(Logger(label: "x") { [handler] _ in handler })
        let bytes = try #require(lines.withLock { $0.first })
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.dropLast().allSatisfy { $0 >= 0x20 })
        let object = try #require(try JSONValue(parsing: Array(bytes.dropLast())).object)
        return Dictionary(uniqueKeysWithValues: object.names.compactMap { name in object[name].map { (name, $0) } })
    }

    @Test func `has time, level, message and metadata`() throws {
        let line = try line { $0.warning("Something", metadata: ["flow.id": "f_1", "count": "\(3)"]) }
        #expect(line["time"]?.string == "2026-01-01T00:00:00.000Z" && line["level"]?.string == "warning")
        #expect(line["message"]?.string == "Something" && line["label"]?.string == "cloakroom")
        #expect(line["flow.id"]?.string == "f_1" && line["count"]?.string == "3" && line["always"]?.string == "there")
    }

    @Test func `stays one line and keeps its own members whatever is logged`() throws {
        let line = try line {
            $0.error("a\nb", metadata: ["level": "forged\n{}", "list": ["x", ["y": "z"]], "quote": "\"\u{1}"])
        }
        #expect(line["level"]?.string == "error" && line["_level"]?.string == "forged\n{}")
        #expect(line["message"]?.string == "a\nb" && line["quote"]?.string == "\"\u{1}")
        #expect(line["list"]?.array?.count == 2)
    }

    @Test func `below the level is not written`() {
        let count = Locked(0)
        let handler = JSONLogHandler(label: "x", time: ManualTime()) { _ in count.withLock { $0 += 1 } }
        Logger(label: "x") { [handler] _ in handler }.debug("nothing")
        #expect(count.withLock { $0 } == 0)
    }
}
