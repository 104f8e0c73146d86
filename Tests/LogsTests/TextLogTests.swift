import Logs
import Testing

@Suite("A log line in text")
struct TextLogTests {
    private func line(
        _ label: String = "cloakroom", _ message: Logger.Message = "Ready", _ metadata: Logger.Metadata? = nil,
        file: String = "BFF/Audit.swift"
    ) -> String {
        let collector = LineCollector()
        collector.logger(.text, label).error(message, metadata: metadata, file: file)
        return collector.text
    }

    @Test func `has time, level, label, message, sorted metadata and module`() {
        let metadata: Logger.Metadata = ["request.id": "654a", "check": "server_error", "client": "es"]
        #expect(
            line("cloakroom", "The provider's answer to a sign-in was refused", metadata) == """
                2026-01-01T00:00:00+0000 error cloakroom: The provider's answer to a sign-in was refused \
                check=server_error client=es request.id=654a [BFF]

                """)
    }

    @Test func `leaves out what is not there`() {
        #expect(line() == "2026-01-01T00:00:00+0000 error cloakroom: Ready [BFF]\n")
        #expect(line("", "Ready", [:]) == "2026-01-01T00:00:00+0000 error: Ready [BFF]\n")
        #expect(line(file: "Audit.swift") == "2026-01-01T00:00:00+0000 error cloakroom: Ready [Audit.swift]\n")
    }

    @Test(
        "shows a value as Swift would, in quotes where its end could be mistaken:",
        arguments: [
            ("text", "text"), (.stringConvertible(3), "3"), ([], "[]"), ([:], "[:]"), ("Zoë木", "Zoë木"),
            (["x", "y"], #""[\"x\", \"y\"]""#), (["a": "1"], #""[\"a\": \"1\"]""#),
            ("Zoë 木", #""Zoë 木""#), ("", #""""#), ("a=b", #""a=b""#), (#"a"b"#, #""a\"b""#), (#"a\b"#, #""a\\b""#),
            ("a\nb", #""a\nb""#), (#"a\nb"#, #""a\\nb""#), ("x [BFF] y=1", #""x [BFF] y=1""#),
        ] as [(Logger.MetadataValue, String)])
    func value(value: Logger.MetadataValue, shown: String) {
        #expect(line("x", "m", ["v": value]) == "2026-01-01T00:00:00+0000 error x: m v=\(shown) [BFF]\n")
    }

    @Test func `that is JSON whatever the form of the others begins as they do`() {
        let collector = LineCollector()
        collector.logger(.text).inJSON(label: "audit").info("sign-in", metadata: ["outcome": "done"])
        #expect(
            collector.text == """
                2026-01-01T00:00:00+0000 info audit: {"time":"2026-01-01T00:00:00.000Z","level":"info","message":"sign-in",\
                "label":"audit","outcome":"done"}

                """)
        let plain = LineCollector()
        plain.logger(.json).inJSON(label: "audit").info("sign-in")
        #expect(plain.text.hasPrefix(#"{"time":"#))
    }

    @Test(
        "escapes what could begin another line or fool a terminal:",
        arguments: [
            ("\n", #"\n"#), ("\r", #"\r"#), ("\r\n", #"\r\n"#), ("\t", #"\t"#), ("\0", #"\u{0}"#), ("\u{B}", #"\u{b}"#),
            ("\u{C}", #"\u{c}"#), ("\u{1B}[2J", #"\u{1b}[2J"#), ("\u{7F}", #"\u{7f}"#), ("\u{85}", #"\u{85}"#),
            ("\u{9B}2J", #"\u{9b}2J"#), ("\u{2028}", #"\u{2028}"#), ("\u{2029}", #"\u{2029}"#),
            ("\u{202E}", #"\u{202e}"#), ("\u{61C}", #"\u{61c}"#), ("\u{2066}", #"\u{2066}"#),
        ])
    func escapes(evil: String, shown: String) {
        let forged = "a" + evil + "2026-01-01T00:00:00+0000 info cloakroom: [BFF] Signed in"
        let lines = [
            line(forged), line("x", "\(forged)"), line("x", "m", [forged: "v"]), line("x", "m", ["k": "\(forged)"]),
            line("x", "m", ["k": [.string(forged)]]), line("x", "m", ["k": [forged: "v"]]),
            line("x", "m", file: forged + "/File.swift"),
        ]
        for (index, line) in lines.enumerated() {
            #expect(line.utf8.last == UInt8(ascii: "\n"))
            let kept = line.unicodeScalars.dropLast()
            #expect(!kept.contains { evil.unicodeScalars.first == $0 }, "line \(index)")
            #expect(!kept.contains { $0.value < 0x20 }, "line \(index)")
            // What is inside an array or a dictionary is escaped by Swift already, in its own way.
            if index != 4, index != 5 { #expect(line.contains("a" + shown + "2026"), "line \(index)") }
        }
    }
}
