import Testing
import YAML

@Suite("A YAML text is bounded")
struct LimitTests {
    private func reason(_ text: String) -> YAMLError.Reason? {
        do throws(YAMLError) {
            _ = try YAMLNode(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    private func line(_ text: String) -> Int? {
        do throws(YAMLError) {
            _ = try YAMLNode(parsing: Array(text.utf8))
            return nil
        } catch {
            return error.mark.line
        }
    }

    private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    @Test(
        "in its depth, whatever it is made of",
        arguments: [("[", "]"), ("{a: ", "}"), ("{[a]: ", "}"), ("[{a: ", "}]"), ("- ", ""), ("? ", ""), ("[&a ", "]")])
    func depth(start: String, end: String) {
        let collections = start.hasPrefix("[{") ? 2 : 1
        // The key `[a]` is one level more at the innermost place.
        let levels = (start.contains("[a]") ? 63 : 64) / collections
        func nested(_ count: Int) -> String { times(count, start) + "x" + times(count, end) }
        #expect(reason(nested(levels)) == nil)
        #expect(reason(nested(levels + 1)) == .tooDeep)
    }

    @Test("in its depth by indentation, and says the line")
    func indentation() {
        func nested(_ count: Int) -> String { (0..<count).map { times($0, " ") + "a:\n" }.joined() }
        #expect(reason(nested(64)) == nil)
        #expect(reason(nested(65)) == .tooDeep && line(nested(65)) == 65)
    }

    @Test("in its depth where aliases make it")
    func depthOfAliases() {
        func nested(_ count: Int) -> String {
            "a1: &a1 [x]\n" + (2...count).map { "a\($0): &a\($0) [*a\($0 - 1)]\n" }.joined()
        }
        #expect(reason(nested(63)) == nil)
        #expect(reason(nested(64)) == .tooDeep && line(nested(64)) == 64)
    }

    @Test("before the stack or the time is spent", arguments: ["[", "{", "- ", "? ", "[a, ", "{? ", "[[],", "- - "])
    func deepest(start: String) {
        #expect(reason(times(1_000_000 / start.utf8.count, start)) == .tooDeep)
    }

    @Test("in its nodes, keys and collections included")
    func nodes() {
        #expect(reason("[" + times(19_999, "a,") + "]") == nil)
        #expect(reason("[" + times(20_000, "a,") + "]") == .tooManyNodes)
        func mapping(_ count: Int) -> String { (0..<count).map { "k\($0): v\n" }.joined() }
        #expect(reason(mapping(9_999)) == nil)
        #expect(reason(mapping(10_000)) == .tooManyNodes && line(mapping(10_000)) == 10_000)
    }

    @Test("in its nodes once aliases are followed")
    func nodesOfAliases() {
        // 100 nodes once, the outer one, and the repetitions.
        let hundred = "[&a [" + times(99, "x,") + "], "
        #expect(reason(hundred + times(198, "*a,") + times(99, "x,") + "]") == nil)
        #expect(reason(hundred + times(198, "*a,") + times(100, "x,") + "]") == .tooManyNodes)
        #expect(reason(hundred + times(199, "*a,") + "]") == .tooManyNodes)
    }

    @Test("against a billion laughs", arguments: ["[%]", "{a: [%]}", "{a: [%], b: x}"])
    func laughs(form: String) throws {
        let parts = form.split(separator: "%", maxSplits: 1)
        func list(_ item: String) -> String { parts[0] + times(9, item + ",") + parts[1] }
        let text = "a0: &a0 \(list("lol"))\n" + (1...9).map { "a\($0): &a\($0) \(list("*a\($0 - 1)"))\n" }.joined()
        #expect(reason(text) == .tooManyNodes && line(text) == 5)
    }

    @Test(
        "against anchors that contain themselves",
        arguments: [
            "&a [*a]", "&a {x: *a}", "&a {*a : x}", "&a [[[*a]]]", "&a [&b [*a]]", "x: &a\n  y: *a", "&a [&a [*a]]",
        ])
    func selfReference(text: String) {
        #expect(reason(text) == .selfReference)
    }

    @Test("in its bytes, a byte order mark aside")
    func bytes() {
        #expect(reason(times(1 << 20, "#")) == nil)
        #expect(reason("\u{FEFF}" + times(1 << 20, "#")) == nil)
        #expect(reason(times(1 << 20, "#") + "\n") == .tooLong)
        #expect(reason("a: '" + times((1 << 20) - 5, "x") + "'") == nil)
        #expect(line("\n\n" + times(1 << 20, "#")) == 3)
    }

    @Test("in the bytes of its texts once aliases are followed")
    func bytesOfAliases() {
        let half = times(1 << 19, "x")
        #expect(reason("[&a \(half), *a]") == nil)
        #expect(reason("[&a \(half), *a, x]") == .tooLong)
        #expect(reason("[&a \(half), *a, *a]") == .tooLong)
        #expect(reason("- &a {\"\(times(1000, "y"))\": 1}\n" + times(2000, "- *a\n")) == .tooLong)
        // An escape of two bytes that stands for three.
        #expect(reason("\"" + times(400_000, "\\L") + "\"") == .tooLong)
    }

    @Test(
        "in its directives, wherever a line may end", arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"])
    func directives(lineEnd: String) {
        func text(_ count: Int) -> String { (0..<count).map { "%TAG !a\($0)! x\(lineEnd)" }.joined() + "--- a" }
        #expect(reason(text(64)) == nil)
        #expect(reason(text(65)) == .tooManyDirectives)
        #expect(reason("a: " + times(100, " %")) != .tooManyDirectives)
    }
}
