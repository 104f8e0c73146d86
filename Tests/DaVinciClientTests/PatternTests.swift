import TestSupport
import Testing

@testable import DaVinciClient

@Suite("The pattern of a form")
struct PatternTests {
    @Test(
        "occurs where ECMAScript finds it",
        arguments: [
            ("^[^@]+@[^@]+\\.[^@]+$", "a@b.c", true), ("^[^@]+@[^@]+\\.[^@]+$", "a@b", false),
            ("[0-9]", "ab1c", true), ("[0-9]", "abc", false), (".", "", false), (".", "x", true), (".", "\n", false),
            ("^[0-9]{4}$", "1234", true), ("^[0-9]{4}$", "12345", false), ("^a{2,}$", "aaa", true),
            ("^a{2,3}$", "aaaa", false), ("^a{2,3}$", "aa", true), ("a{", "xa{", true), ("^(a|b)*c$", "ababc", true),
            ("^(?:ab)+?$", "abab", true), ("^(?<y>\\d{2})-(\\w+)$", "24-x_1", true), ("\\bcat\\b", "a cat.", true),
            ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true), ("^\\s+$", "\t \u{a0}", true),
            ("^[\\w.-]+$", "a.b-c", true), ("^[^\\d\\s]+$", "a1", false), ("^[a\\-z]+$", "-", true),
            ("^[a-c-]+$", "b-", true), ("\\u0041\\x42", "AB", true), ("^$", "", true), ("(a*)*b", "aab", true),
            ("(|a)+$", "", true), ("^[]a]", "]", false), ("x]}", "x]}", true), ("\\/\\.", "/.", true),
            ("^é$", "é", true), ("a|", "", true), ("()", "", true), ("^a?b?$", "b", true),
        ])
    func found(_ source: String, _ text: String, _ isFound: Bool) throws {
        #expect(try #require(Pattern(source)).occurs(in: text) == isFound)
    }

    @Test(
        "is no rule when it is empty, cannot be read or needs going back",
        arguments: [
            "", "([", "(", ")", "*a", "a**", "a{3,2}", "a{2000}", "[z-a]", "\\1", "(a)\\1", "\\k<a>", "(?=a)", "(?!a)",
            "(?<=a)b", "(?<!a)b", "(?i)a", "\\p{L}", "\\u00", "\\", "[a", "^*", "((((a{1000}){1000}){1000}){1000})",
            "(((){1000}){1000}){1000}",
        ])
    func unreadable(_ source: String) {
        #expect(Pattern(source) == nil)
    }

    @Test func `is no rule beyond 1 KiB, nor when its groups are too deep`() {
        #expect(Pattern(String(repeating: "a", count: 1024)) != nil)
        #expect(Pattern(String(repeating: "a", count: 1025)) == nil)
        #expect(Pattern(String(repeating: "(", count: 200) + String(repeating: ")", count: 200)) == nil)
    }

    @Test(
        "is searched for in a number of steps that grows with the text alone",
        arguments: ["^(a+)+$", "^(a|a)*$", "^(a*)*$", "(a|aa)+$", "^((a+)+)+$", "(.*)(.*)(.*)(.*)b$"])
    func bounded(_ source: String) throws {
        let pattern = try #require(Pattern(source))
        let text = String(repeating: "a", count: 8192) + (source.hasSuffix("b$") ? "c" : "b")
        let search = pattern.search(text)
        #expect(!search.isFound)
        #expect(search.work < 60 * text.utf8.count)
    }

    @Test("is taken for found when the bound of steps is reached", arguments: ["(\\w?){600}x$", "(\\b|\\B){300}$^"])
    func limit(_ source: String) throws {
        let pattern = try #require(Pattern(source))
        let search = pattern.search(String(repeating: "a", count: 8192))
        #expect(search.isFound)
        #expect(search.work < Pattern.mostWork + 4000)
    }

    @Test func `costs as much as its sets have ranges`() throws {
        let set = String(repeating: "a", count: 999) + "z"
        let search = try #require(Pattern("([\(set)]?){990}x")).search(String(repeating: "z", count: 100))
        #expect(search.isFound && search.work < Pattern.mostWork + 4000)
    }

    @Test func `is read once, and as many are kept as there is room for`() throws {
        for number in 0..<2 * Pattern.mostKnown {
            #expect(Pattern.known("^\(number)$") == Pattern("^\(number)$"))
            #expect(Pattern.known("^\(number)$") == Pattern("^\(number)$"))
            #expect(Pattern.known("(\(number)") == nil)
            #expect((1...Pattern.mostKnown).contains(Pattern.knownCount))
        }
    }

    @Test func `is known by its bytes`() throws {
        #expect(try #require(Pattern.known("^[é]$")).occurs(in: "é"))
        #expect(try !#require(Pattern.known("^[e\u{301}]$")).occurs(in: "é"))
    }
}
