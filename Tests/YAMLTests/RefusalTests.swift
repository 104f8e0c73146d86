import Testing
import YAML

@Suite("A YAML text is refused")
struct RefusalTests {
    /// A text and what is said about it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let outcome: String

        init(_ name: String, _ bytes: [UInt8], _ outcome: String) {
            self.name = name
            self.bytes = bytes
            self.outcome = outcome
        }

        init(_ name: String, _ text: String, _ outcome: String) {
            self.init(name, Array(text.utf8), outcome)
        }

        var testDescription: String { name }
    }

    private static let twice = "keys that are there twice: "
    private static let unknown = "unknown tag; a text that begins with ! is written in quotes"
    private static let misplaced = "the tag does not fit the value"
    private static let notUTF8 = "the text is not UTF-8"
    private static let quote = "a quote is opened here and not closed in this line"
    private static let tab = "a tab in the indentation; YAML takes blanks only"
    private static let control = "control characters are not allowed"

    /// The words of libyaml, at the place of the problem.
    static let syntax = [
        Row("a flow sequence without end", "a: [1", "2:1: did not find expected ',' or ']'"),
        Row("a flow mapping without end", "{a", "2:1: did not find expected ',' or '}'"),
        Row("a flow mapping that ends before a value", "{a: ", "2:1: did not find expected node content"),
        Row("a single-quoted text without end", "a: 'x", "1:4: " + quote),
        Row("a double-quoted text without end", "a: \"x\ny", "1:4: " + quote),
        Row("an escape that is cut off", "\"\\", "1:2: found unknown escape character"),
        Row("half a surrogate pair", #""\ud800""#, "1:4: found invalid Unicode character escape code"),
        Row("a character beyond Unicode", #""\U00110000""#, "1:4: found invalid Unicode character escape code"),
        Row("a mapping in a value", "a: b: c", "1:5: mapping values are not allowed in this context"),
        Row("a word among items", "- a\nb", "3:1: could not find expected ':'"),
        Row("a tab that indents", "a:\n\t- b", "2:1: " + tab),
        Row("a tab behind blanks", "a:\n  b: 1\n  \tc: 2", "3:3: " + tab),
        Row("a tab below a plain text", "a:\n  b: c\n\td: e", "3:1: " + tab),
        Row("a quote that a later one closes", "a: \"x\nb: [\"z\"]\nc: 1", "1:4: " + quote),
        Row("a quote that is open until the next document", "a: \"x\n---\nb: 1", "1:4: " + quote),
        Row(
            "another fault after a quote that is closed", "a: \"x\"\nb: c: d",
            "2:5: mapping values are not allowed in this context"),
        Row("a reserved character", "a: @b", "1:4: found character that cannot start any token"),
        Row("two anchors", "&a &b x", "1:4: did not find expected <document start>"),
        Row("an anchor of an alias", "[&a x, &b *a]", "1:11: did not find expected ',' or ']'"),
        Row("an alias to no anchor", "a:\n  b: *c", "2:6: found undefined alias"),
        Row("an alias before its anchor", "[*a, &a x]", "1:2: found undefined alias"),
        Row("an alias as the document", "*a", "1:1: found undefined alias"),
        Row("a version of the future", "%YAML 2.0\n--- a", "1:1: found incompatible YAML document"),
        Row("an unknown directive", "%FOO x\n--- a", "1:5: found unknown directive name"),
        Row("two version directives", "%YAML 1.1\n%YAML 1.1\n--- a", "2:1: found duplicate %YAML directive"),
        Row("a tag with an unknown handle", "!a!b c", "1:1: found undefined tag handle"),
        Row("text after the document", "a\n...\nb", "3:1: did not find expected <document start>"),
    ]

    static let bytes = [
        Row("a byte that begins nothing", [0x61, 0x0A, 0xFF], "2:1: " + notUTF8),
        Row("a character that is cut off", [0x61, 0x0A, 0x20, 0xC3], "2:2: " + notUTF8),
        Row("a continuation alone", [0x61, 0x80], "1:2: " + notUTF8),
        Row("an overlong NUL", [0x61, 0x20, 0xC0, 0x80], "1:3: " + notUTF8),
        Row("a surrogate", [0xC3, 0xA9, 0x0D, 0x0A, 0xED, 0xA0, 0x80], "2:1: " + notUTF8),
        Row("a number beyond Unicode", [0xF4, 0x90, 0x80, 0x80], "1:1: " + notUTF8),
        Row("five bytes for a character", [0xF8, 0x88, 0x80, 0x80, 0x80], "1:1: " + notUTF8),
        Row("Latin 1 in quotes", [0x22, 0xE9, 0x22], "1:2: " + notUTF8),
        Row("bad bytes in a comment", [0x61, 0x20, 0x23, 0xFE], "1:4: " + notUTF8),
        Row("bad bytes after the document", Array("a\n...\n".utf8) + [0xFF], "3:1: " + notUTF8),
        Row("UTF-16 with its mark, little end first", [0xFF, 0xFE, 0x61, 0, 0x3A, 0], "1:1: " + notUTF8),
        Row("UTF-16 with its mark, big end first", [0xFE, 0xFF, 0, 0x61], "1:1: " + notUTF8),
        Row("UTF-16 without a mark, little end first", [0x61, 0, 0x3A, 0], "1:2: " + control),
        Row("UTF-16 without a mark, big end first", [0, 0x61, 0, 0x3A], "1:1: " + control),
        Row("UTF-32 with its mark", [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "1:1: " + notUTF8),
        Row("NUL", "a: b\nc: \0", "2:4: " + control),
        Row("NUL in quotes", "'\0'", "1:2: " + control),
        Row("NUL after the document", "a\n...\n\0", "3:1: " + control),
        Row("BEL", "a: \u{7}", "1:4: " + control),
        Row("DEL", "é: \u{7F}", "1:4: " + control),
        Row("a C1 control character", "a\u{85}\u{84}", "2:1: " + control),
        Row("no character", "\u{2028}\u{FFFE}", "2:1: " + control),
        Row("a second byte order mark", "\u{FEFF}\u{FEFF}a: b", "1:1: found a second byte order mark"),
    ]

    static let keys = [
        Row("a key twice", "b: 0\na: 1\nc: 2\na: 3", "2:1: \(twice)a"),
        Row("a key twice in braces", "x: {a: 1, a: 2}", "1:5: \(twice)a"),
        Row("a key in and without quotes", "'a': 1\n\"a\": 2", "1:1: \(twice)a"),
        Row("a key and its escape", #"{"a": 1, "\x61": 2}"#, "1:2: \(twice)a"),
        Row("a number and a text", "1: a\n'1': b", "1:1: \(twice)1"),
        Row("a key with a tag and without", "{!!str 1: a, 1: b}", "1:2: \(twice)1"),
        Row("a key by its alias", "&k a: 1\n*k : 2", "1:1: \(twice)a"),
        Row("two aliases", "- &k a\n- {*k : 1, *k : 2}", "2:4: \(twice)a"),
        Row("no key twice", "{~: 1, ~: 2}", "1:2: \(twice)~"),
        Row("an empty key twice", "? \n: 1\n? ''\n: 2", "1:2: \(twice)"),
        Row("<< twice", "<<: {}\n<<: {}", "1:1: \(twice)<<"),
        Row("all of them", "c: 1\nb: 2\nc: 3\na: 4\nb: 5\nc: 6", "1:1: \(twice)c, b"),
        Row("a sequence twice", "{[a]: 1, ['a']: 2}", "1:2: \(twice)?"),
        Row("a mapping in another order", "? {a: 1, b: 2}\n: x\n? {b: 2, a: 1}\n: y", "1:3: \(twice)?"),
        Row("a key twice in a key", "? {a: 1, a: 2}\n: x", "1:4: \(twice)a"),
    ]

    static let tags = [
        Row("an object of Python", "a: !!python/object:os.system {x: 1}", "1:4: " + unknown),
        Row("an application's tag", "a:\n- !secret x", "2:3: " + unknown),
        Row("a tag on a key", "{!x a: b}", "1:2: " + unknown),
        Row("a tag on a sequence", "!x [a]", "1:1: " + unknown),
        Row("a full tag", "!<tag:example.com,2000:x> a", "1:1: " + unknown),
        Row("a tag of YAML 1.1", "!!binary aGk=", "1:1: " + unknown),
        Row("a set", "!!set {a}", "1:1: " + unknown),
        Row("a time", "!!timestamp 2001-01-01", "1:1: " + unknown),
        Row("a merge key", "!!merge <<: {a: 1}", "1:1: " + unknown),
        Row("a tag in another case", "!!STR a", "1:1: " + unknown),
        Row("a handle made ours", "%TAG !! tag:example.com,2000:\n--- !!str a", "2:5: " + unknown),
        Row("a word as a number", "!!int x", "1:1: " + misplaced),
        Row("half a number as a whole one", "!!int 1.5", "1:1: " + misplaced),
        Row("a word as another number", "!!float x", "1:1: " + misplaced),
        Row("yes as true", "!!bool yes", "1:1: " + misplaced),
        Row("a word as a null", "!!null x", "1:1: " + misplaced),
        Row("a scalar as a sequence", "!!seq a", "1:1: " + misplaced),
        Row("a scalar as a mapping", "!!map a", "1:1: " + misplaced),
        Row("a sequence as a mapping", "!!map [a]", "1:1: " + misplaced),
        Row("a mapping as a sequence", "!!seq {a: b}", "1:1: " + misplaced),
        Row("a mapping as a text", "!!str {a: b}", "1:1: " + misplaced),
    ]

    static let documents = [
        Row("with a second document", "a: 1\n---\nb: 2", "2:1: expected one document, not several"),
        Row("with two empty documents", "---\n---\n", "2:1: expected one document, not several"),
        Row("with a document after the end of one", "--- a\n...\n--- b", "3:1: expected one document, not several"),
    ]

    @Test("with its place and the reason", arguments: syntax + bytes + keys + tags + documents)
    func refused(row: Row) {
        #expect(NodeText.outcome(row.bytes) == row.outcome)
    }

    @Test("wherever a good one is cut off inside a bracket")
    func truncated() throws {
        let text = Array(#"{"a": [1, 'é', {b: &x "c"}, *x], ? [d] : e}"#.utf8)
        _ = try #require(try YAMLNode(parsing: text))
        for count in 1..<text.count {
            #expect(throws: YAMLError.self, "\(count)") { try YAMLNode(parsing: Array(text[..<count])) }
        }
    }

    @Test("and says of keys which, and of a value nothing")
    func contents() throws {
        let keys = #expect(throws: YAMLError.self) { try YAMLNode(parsing: Array("a: 1\n[b]: 2\na: 3\n[b]: 4".utf8)) }
        let expected = [
            YAMLError.Key(name: "a", mark: YAMLMark(line: 1, column: 1)),
            YAMLError.Key(name: nil, mark: YAMLMark(line: 2, column: 1)),
        ]
        #expect(keys?.reason == .duplicateKeys(expected) && keys?.mark == YAMLMark(line: 1, column: 1))
        let canary = "canary-5f0c"
        for row in Self.syntax + Self.tags + Self.documents {
            let text = String(decoding: row.bytes, as: UTF8.self)
            for secret in [
                "a: \(canary)\n--- \(text)", "[\(canary), \(text)", "!\(canary) \(text)", "*\(canary) \(text)",
            ] {
                let error = #expect(throws: YAMLError.self) { try YAMLNode(parsing: Array(secret.utf8)) }
                #expect(error?.description.contains(canary) == false)
            }
        }
    }
}
