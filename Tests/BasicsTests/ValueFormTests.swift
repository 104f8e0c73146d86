import Basics
import Testing

@Suite("A value written as text")
struct ValueFormTests {
    @Test(
        "is a duration",
        arguments: [
            ("0s", 0), ("500ms", 500), ("30s", 30_000), ("30m", 1_800_000), ("8h", 28_800_000), ("1d", 86_400_000),
            ("1h30m", 5_400_000), ("1d2h3m4s5ms", 93_784_005), ("90m", 5_400_000),
        ])
    func durations(text: String, milliseconds: Int64) {
        let form = ValueForm<Duration>.duration(.zero ... .seconds(864_000))
        #expect(form.parse(text) == .milliseconds(milliseconds))
    }

    @Test(
        "is no duration",
        arguments: [
            "", "30", "s", "-1s", "+1s", "1.5h", "1 h", " 1h", "1h ", "1H", "30m1h", "1h1h", "1w", "01s", "1h30", "١s",
            "99999999999999999999s", "9223372036854775807d", "1sm", "1ms1s", "864001s",
        ])
    func noDurations(text: String) {
        #expect(ValueForm<Duration>.duration(.zero ... .seconds(864_000)).parse(text) == nil)
    }

    @Test("is a size", arguments: [("1B", 1), ("64KiB", 65_536), ("16MiB", 16 << 20), ("2GiB", 2 << 30), ("0B", 0)])
    func sizes(text: String, bytes: Int) {
        #expect(ValueForm<Int>.size(0...1 << 40).parse(text) == bytes)
    }

    @Test(
        "is no size",
        arguments: [
            "", "64", "KiB", "64KB", "64kib", "64 KiB", "-1B", "1.5MiB", "64K", "9223372036854775807KiB", "1024GiBB",
            "2097153MiB",
        ])
    func noSizes(text: String) {
        #expect(ValueForm<Int>.size(0...1 << 40).parse(text) == nil)
    }

    @Test(
        "says its range in the units that people write",
        arguments: [
            (ValueForm<Duration>.duration(.seconds(60) ... .seconds(86_400)).expected, "a duration from 1m to 1d"),
            (
                ValueForm<Duration>.duration(.milliseconds(1500) ... .seconds(90)).expected,
                "a duration from 1500ms to 90s"
            ),
            (ValueForm<Int>.size(256...1 << 20).expected, "a size from 256B to 1MiB"),
            (ValueForm<Int>.size(1536...3 << 30).expected, "a size from 1536B to 3GiB"),
        ])
    func ranges(text: String, expected: String) {
        #expect(text == expected)
    }

    @Test("is a number", arguments: [("0", 0), ("7", 7), ("64", 64), ("-5", -5)])
    func numbers(text: String, number: Int) {
        #expect(ValueForm<Int>.number(-5...64).parse(text) == number)
    }

    @Test(
        "is no number",
        arguments: [
            "", "-", "+1", "-0", "--1", "01", "1.0", "1e1", " 1", "1 ", "0x1", "٣", "65", "-6", "9223372036854775808",
            "99999999999999999999",
        ])
    func noNumbers(text: String) {
        #expect(ValueForm<Int>.number(-5...64).parse(text) == nil)
    }

    @Test("is a port", arguments: [("0", UInt16(0)), ("8080", 8080), ("65535", 65_535)])
    func ports(text: String, port: UInt16) {
        #expect(ValueForm<UInt16>.port.parse(text) == port)
    }

    @Test("is no port", arguments: ["", "-1", "65536", "08080", "http", "80 ", "1:1"])
    func noPorts(text: String) {
        #expect(ValueForm<UInt16>.port.parse(text) == nil)
        #expect(ValueForm<UInt16>.port.expected == "a port from 0 to 65535")
    }

    private enum Colour: String, CaseIterable { case red, green, blue }

    @Test func `is one of several words, exactly as they are written`() {
        let form = ValueForm<Colour>.anyCase
        #expect(form.expected == "red, green or blue" && form.words == ["red", "green", "blue"])
        #expect(form.parse("green") == .green)
        for text in ["", "Red", "gree", "greenn", "red, green or blue"] { #expect(form.parse(text) == nil) }
        #expect(ValueForm<Int>.choice(["one": 1]).expected == "one")
        #expect(ValueForm<Int>.choice(["one": 1, "two": 2]).expected == "one or two")
    }

    @Test("is a name", arguments: ["a", "k7", "A-b_3", String(repeating: "a", count: 32)])
    func names(text: String) {
        #expect(ValueForm<String>.name.parse(text) == text)
    }

    @Test("is no name", arguments: ["", "a b", "ä", "a.b", "\u{212A}", "a\n", String(repeating: "a", count: 33)])
    func noNames(text: String) {
        #expect(ValueForm<String>.name.parse(text) == nil)
    }

    @Test("is no text of so many bytes", arguments: ["", "four5", "a\nb", "a\u{7F}", "a\u{0}", "ääää"])
    func noTexts(text: String) {
        let form = ValueForm.text("something short", bytes: 1...4)
        #expect(form.parse(text) == nil && form.parse("ää") == "ää" && form.words == [])
    }
}
