import Testing
import YAML

@Suite("The tree of a YAML text")
struct TreeTests {
    @Test(
        "has what the text says, in its order",
        arguments: [
            ("a", "a:text"), ("[a, 'b', \"c\"]", #"[a:text, "b":text, "c":text]"#),
            ("b: 1\na: 2", "{b:text=1:integer, a:text=2:integer}"), ("{a: {b: [c]}}", "{a:text={b:text=[c:text]}}"),
            ("a: |\n  x\n  y\n", #"{a:text="x\ny\n":text}"#), ("a: >-\n  x\n  y\n", #"{a:text="x y":text}"#),
            ("- - a\n- b", "[[a:text], b:text]"), ("[a: b, c]", "[{a:text=b:text}, c:text]"),
            ("? a\n? b", "{a:text=:null, b:text=:null}"), ("a:\nb: ''", #"{a:text=:null, b:text="":text}"#),
            (#""\x41\u00e9\U0001F600\n\0""#, #""Aé😀\n\0":text"#), ("! [! {a: b}]", "[{a:text=b:text}]"),
            ("a: x # not this", "{a:text=x:text}"),
            ("a:\r\n  b: 1\r  c: 2", "{a:text={b:text=1:integer, c:text=2:integer}}"),
            ("{K: 1, \u{212A}: 2}", "{K:text=1:integer, \u{212A}:text=2:integer}"),
            ("\u{E9}: 1\ne\u{301}: 2", "{\u{E9}:text=1:integer, e\u{301}:text=2:integer}"),
        ])
    func content(text: String, shape: String) {
        #expect(NodeText.outcome(text).utf8.elementsEqual(shape.utf8), "\(NodeText.outcome(text))")
    }

    @Test("is nothing without a document, and a null of an empty one", arguments: ["", " \n", "# only this", "\n\n"])
    func empty(text: String) {
        #expect(NodeText.outcome(text) == "nothing")
        #expect(NodeText.outcome("\u{FEFF}" + text) == "nothing")
        #expect(NodeText.outcome("---\n" + text) == ":null")
        #expect(NodeText.outcome("---\n" + text + "\n...\n# end\n") == ":null")
    }

    @Test(
        "knows where everything stands",
        arguments: [
            ("a: [b]", "{a@1:1=[b@1:5]@1:4}@1:1"), ("é: b\n\nc:\n  d: e", "{é@1:1=b@1:4, c@3:1={d@4:3=e@4:6}@4:3}@1:1"),
            ("\u{FEFF}a: b", "{a@1:1=b@1:4}@1:1"), ("# x\n\n- a\n- 'b'", "[a@3:3, b@4:3]@3:1"),
            ("a: &x !!str b", "{a@1:1=b@1:4}@1:1"), ("- a\u{2028}- b", "[a@1:3, b@2:3]@1:1"),
            ("- &x [a]\n- *x\n- b", "[[a@1:7]@1:3, [a@1:7]@2:3, b@3:3]@1:1"),
        ])
    func marks(text: String, places: String) throws {
        #expect(NodeText.places(try #require(try YAMLNode(parsing: Array(text.utf8)))) == places)
    }

    @Test(
        "has what an anchor names in the place of its alias",
        arguments: [
            ("[&a x, *a, *a]", "[x:text, x:text, x:text]"), ("{&k a: 1, b: *k }", "{a:text=1:integer, b:text=a:text}"),
            ("a: &m {x: 1}\nb: *m", "{a:text={x:text=1:integer}, b:text={x:text=1:integer}}"),
            ("[&a 1, &a 2, *a]", "[1:integer, 2:integer, 2:integer]"),
            ("&a [&a 1, *a]", "[1:integer, 1:integer]"), ("[&a [&a 1], *a]", "[[1:integer], 1:integer]"),
            ("[&a , *a]", "[:null, :null]"),
            ("{&a x: 1, y: {*a : 2}}", "{x:text=1:integer, y:text={x:text=2:integer}}"),
        ])
    func aliases(text: String, shape: String) {
        #expect(NodeText.outcome(text) == shape)
    }

    @Test(
        "takes << for a key like any other",
        arguments: [
            ("<<: {a: 1}", "{<<:text={a:text=1:integer}}"),
            (
                "x: &x {a: 1}\ny: {<<: *x, a: 2}",
                "{x:text={a:text=1:integer}, y:text={<<:text={a:text=1:integer}, a:text=2:integer}}"
            ),
            ("%YAML 1.1\n---\n<<: [{a: 1}, {b: 2}]", "{<<:text=[{a:text=1:integer}, {b:text=2:integer}]}"),
        ])
    func noMerging(text: String, shape: String) {
        #expect(NodeText.outcome(text) == shape)
    }

    @Test(
        "may have keys that are no scalars, when they differ",
        arguments: [
            ("? [a]\n: b", "{[a:text]=b:text}"),
            ("{[a]: 1, [b]: 2, a: 3}", "{[a:text]=1:integer, [b:text]=2:integer, a:text=3:integer}"),
            ("? {a: 1}\n: x\n? {a: 2}\n: y", "{{a:text=1:integer}=x:text, {a:text=2:integer}=y:text}"),
            ("{[]: 1, {}: 2, '': 3}", #"{[]=1:integer, {}=2:integer, "":text=3:integer}"#),
        ])
    func keys(text: String, shape: String) {
        #expect(NodeText.outcome(text) == shape)
    }

    @Test("gives each node as what it is and as nothing else")
    func accessors() throws {
        let root = try #require(try YAMLNode(parsing: Array("{a: [b]}".utf8)))
        let pair = try #require(root.mapping?.first)
        #expect(root.scalar == nil && root.sequence == nil && root.mapping?.count == 1)
        #expect(pair.key.scalar?.text == "a" && pair.key.sequence == nil && pair.key.mapping == nil)
        #expect(
            pair.value.sequence?.first?.scalar?.text == "b" && pair.value.scalar == nil && pair.value.mapping == nil)
    }
}
