import Basics
import JSON
import Logs
import Testing

@Suite("A log line in JSON")
struct JSONLogTests {
    private func line(_ log: (Logger) -> Void) throws -> [String: JSONValue] {
        let collector = LineCollector()
        var logger = collector.logger(.json)
        logger[metadataKey: "always"] = "there"
        log(logger)
        let bytes = try #require(collector.lines.first)
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

    @Test func `has no name twice, whatever entries are called`() throws {
        let line = try line { $0.error("m", metadata: ["level": "a", "_level": "b", "__level": "c", "_time": "d"]) }
        #expect(line["_level"]?.string == "b" && line["__level"]?.string == "c" && line["___level"]?.string == "a")
        #expect(line["level"]?.string == "error" && line["_time"]?.string == "d")
    }

    @Test func `below the level is not written`() {
        let collector = LineCollector()
        collector.logger(.json, "x").debug("nothing")
        #expect(collector.lines.isEmpty)
    }

    @Test func `has its members in one order, and nested values as they are`() {
        let collector = LineCollector()
        var logger = collector.logger(.json)
        logger[metadataKey: "b"] = ["x", ["d": "2", "c": .stringConvertible(1)]]
        logger.info("Ready", metadata: ["time": "no", "a": .stringConvertible(true)])
        #expect(
            collector.text == """
                {"time":"2026-01-01T00:00:00.000Z","level":"info","message":"Ready","label":"cloakroom",\
                "a":"true","b":["x",{"c":"1","d":"2"}],"_time":"no"}

                """)
    }

    @Test(
        "has the milliseconds of its time",
        arguments: [
            (1_767_225_600_007, "2026-01-01T00:00:00.007Z"), (1_795_303_806_120, "2026-11-21T23:30:06.120Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        ] as [(Int64, String)])
    func time(milliseconds: Int64, text: String) {
        let collector = LineCollector(Timestamp(milliseconds: milliseconds))
        collector.logger(.json).info("Ready")
        #expect(collector.text.hasPrefix(#"{"time":"\#(text)","#))
    }
}
