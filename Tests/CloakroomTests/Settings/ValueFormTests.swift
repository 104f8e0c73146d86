import Testing

@testable import Cloakroom

@Suite("A value of the settings")
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

    @Test(
        "finds the key that was meant",
        arguments: [
            ("publicURL", "publicUrl"), ("publicurl", "publicUrl"), ("pubilcUrl", "publicUrl"),
            ("publcUrl", "publicUrl"),
            ("publicUrll", "publicUrl"), ("listne", "listen"), ("ilde", "idle"),
        ])
    func suggestions(key: String, meant: String) {
        #expect(KeySuggestion.nearest(to: key, among: ["listen", "publicUrl", "idle", "admin"]) == meant)
    }

    @Test("finds no key that is far away", arguments: ["", "x", "id", "absolute", "public", "url"])
    func noSuggestions(key: String) {
        #expect(KeySuggestion.nearest(to: key, among: ["listen", "publicUrl", "idle", "admin"]) == nil)
    }
}
