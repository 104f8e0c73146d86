import Testing

/// A document that must be accepted and how it is written back.
struct AcceptedInput: Sendable, CustomTestStringConvertible {
    let why: String
    let input: [UInt8]
    let output: String

    init(_ why: String, _ input: String, _ output: String? = nil) {
        self.why = why
        self.input = Array(input.utf8)
        self.output = output ?? input
    }

    init(_ why: String, bytes: [UInt8], _ output: String) {
        self.why = why
        input = bytes
        self.output = output
    }

    var testDescription: String { why }

    static let all: [AcceptedInput] = structures + numbers + strings

    private static let structures: [AcceptedInput] = [
        .init("null", "null"),
        .init("true", "true"),
        .init("false", "false"),
        .init("a lone string", #""x""#),
        .init("a lone number", "42"),
        .init("an empty array", "[]"),
        .init("an empty object", "{}"),
        .init("an empty array with white space", "[ \n\t\r ]", "[]"),
        .init("an empty object with white space", "{ \n\t\r }", "{}"),
        .init("white space before and after", " \n\r\t1 \n\r\t", "1"),
        .init("white space around separators", #"{ "a" : 1 , "b" : [ 1 , 2 ] }"#, #"{"a":1,"b":[1,2]}"#),
        .init("one element", "[1]"),
        .init("several elements", "[1,2,3]"),
        .init("mixed elements", #"[null,true,false,1,"a",[],{}]"#),
        .init("nested arrays", "[[[[[]]]]]"),
        .init("nested objects", #"{"a":{"b":{"c":{}}}}"#),
        .init("one member", #"{"a":1}"#),
        .init("order of members", #"{"b":1,"a":2,"c":3}"#),
        .init("an empty name", #"{"":0}"#),
        .init("names that differ in case", #"{"a":1,"A":2}"#),
        .init("names that differ in a space", #"{"a":1,"a ":2}"#),
        .init("the same name at two levels", #"{"a":{"a":{"a":1}}}"#),
        .init("the same name in two elements", #"[{"a":1},{"a":1}]"#),
        .init("the same name before and after a nested object", #"{"a":{"b":1},"b":2}"#),
        .init("names that are canonically equivalent", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
        .init("an escaped name", #"{"\u0061b":1}"#, #"{"ab":1}"#),
        .init("a name with a quote", #"{"a\"b":1}"#),
        .init("a name with NUL", #"{"a\u0000b":1,"a":2}"#),
        .init("array in object in array", #"[{"a":[{"b":[]}]}]"#),
    ]

    private static let numbers: [AcceptedInput] =
        [
            "0", "-0", "1", "-1", "10", "123456789", "0.0", "-0.0", "0.1", "1.0", "1.10", "3.00", "1e1", "1E1", "1e+1",
            "1e-1", "1E+2", "0e0", "0e+1", "-0e-1", "1.5e10", "123.456e-78", "1e00", "1e0001", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "123123123123123123123123123123", "1e400", "-1e400",
            "1e-400",
            "0.4e0066999999999999999999999999999999999999999999999999999999999999", "100000000000000000000.5",
            "0.000000000000000000000000000000000000000000000000000000000000000001",
        ].map { .init("the number \($0)", $0) } + [
            .init("a number in an array", "[-1.50E+1]"), .init("a number before a space", "[1 ]", "[1]"),
            .init("a number before a tab", "1\t", "1"),
        ]

    private static let strings: [AcceptedInput] = [
        .init("an empty string", #""""#),
        .init("a space", #"" ""#),
        .init("seven bytes", #""abcdefg""#),
        .init("eight bytes", #""abcdefgh""#),
        .init("nine bytes", #""abcdefghi""#),
        .init("sixteen bytes", #""abcdefghijklmnop""#),
        .init("an escaped quote", #""\"""#),
        .init("an escaped backslash", #""\\""#),
        .init("an escaped slash", #""\/""#, #""/""#),
        .init("backspace, form feed, newline, return, tab", #""\b\f\n\r\t""#),
        .init("escapes far apart", #""0123456789\n0123456789\n0123456789""#),
        .init("an escaped NUL", #""\u0000""#),
        .init("an escaped control character", #""\u001F""#, #""\u001f""#),
        .init("an escaped DEL", #""\u007F""#, "\"\u{7F}\""),
        .init("a plain DEL", "\"\u{7F}\""),
        .init("an escaped letter", #""\u0041""#, #""A""#),
        .init("hexadecimal digits in both cases", #""\u00eF\u00Ef""#, "\"\u{EF}\u{EF}\""),
        .init("an escaped two-byte character", #""\u00e9""#, "\"é\""),
        .init("an escaped three-byte character", #""\u20AC""#, "\"€\""),
        .init("an escaped surrogate pair", #""\uD834\udd1e""#, "\"𝄞\""),
        .init("the first supplementary character", #""\uD800\uDC00""#, "\"\u{10000}\""),
        .init("the last character", #""\uDBFF\uDFFF""#, "\"\u{10FFFF}\""),
        .init("two surrogate pairs", #""\uD83D\uDE00\uD83D\uDE01""#, "\"😀😁\""),
        .init("an escaped backslash before u", #""\\u0041""#),
        .init("an escaped quote at the end", #""a\"""#),
        .init("an escaped backslash at the end", #""a\\""#),
        .init("a two-byte character", "\"é\""),
        .init("a three-byte character", "\"€\""),
        .init("a four-byte character", "\"😀\""),
        .init("U+0080, the first of two bytes", bytes: [0x22, 0xC2, 0x80, 0x22], "\"\u{80}\""),
        .init("U+07FF, the last of two bytes", bytes: [0x22, 0xDF, 0xBF, 0x22], "\"\u{7FF}\""),
        .init("U+0800, the first of three bytes", bytes: [0x22, 0xE0, 0xA0, 0x80, 0x22], "\"\u{800}\""),
        .init("U+D7FF, before the surrogates", bytes: [0x22, 0xED, 0x9F, 0xBF, 0x22], "\"\u{D7FF}\""),
        .init("U+E000, after the surrogates", bytes: [0x22, 0xEE, 0x80, 0x80, 0x22], "\"\u{E000}\""),
        .init("U+10000, the first of four bytes", bytes: [0x22, 0xF0, 0x90, 0x80, 0x80, 0x22], "\"\u{10000}\""),
        .init("U+10FFFF, the last", bytes: [0x22, 0xF4, 0x8F, 0xBF, 0xBF, 0x22], "\"\u{10FFFF}\""),
        .init("noncharacters", "\"\u{FFFE}\u{FFFF}\u{10FFFE}\""),
        .init("line and paragraph separators", "\"\u{2028}\u{2029}\""),
        .init("a byte order mark inside a string", "\"\u{FEFF}\""),
        .init("a decomposed character stays decomposed", "\"e\u{301}\""),
        .init("multi-byte characters across eight-byte steps", "\"abcdefé€😀ghijklmné\""),
        .init("markup is not escaped", #""<script>&'</script>""#),
    ]
}
