import JSON
import Testing

/// A document that must be refused, and with what.
struct RefusedInput: Sendable, CustomTestStringConvertible {
    let why: String
    let input: [UInt8]
    let error: JSONError

    init(_ why: String, _ input: String, _ error: JSONError) {
        self.init(why, bytes: Array(input.utf8), error)
    }

    init(_ why: String, bytes: [UInt8], _ error: JSONError) {
        self.why = why
        input = bytes
        self.error = error
    }

    var testDescription: String { why }

    /// A string with these bytes between its quotes, refused as not being UTF-8 at the first of them.
    static func text(_ why: String, _ bytes: [UInt8], at offset: Int = 1) -> RefusedInput {
        .init(why, bytes: [0x22] + bytes + [0x22], .invalidUTF8(offset: offset))
    }

    static func syntax(_ why: String, _ input: String, _ offset: Int) -> RefusedInput {
        .init(why, input, .syntax(offset: offset))
    }

    static let all: [RefusedInput] = structures + literals + numbers + strings + encodings + names

    private static let structures: [RefusedInput] = [
        .syntax("nothing", "", 0),
        .syntax("white space alone", " \n", 2),
        .syntax("two values", "1 2", 2),
        .syntax("two arrays", "[][]", 2),
        .syntax("a comma after the document", "[],", 2),
        .syntax("a bracket after the document", "[]]", 2),
        .syntax("a brace after the document", "{}}", 2),
        .syntax("text after the document", "{}x", 2),
        .syntax("a comment after the document", "{}//", 2),
        .syntax("a block comment", "/**/1", 0),
        .syntax("a comment in an array", "[1/**/]", 2),
        .syntax("a hash comment", "#\n1", 0),
        .syntax("an open array", "[", 1),
        .syntax("an open array with an element", "[1", 2),
        .syntax("an open array after a comma", "[1,", 3),
        .syntax("an open object", "{", 1),
        .syntax("an open object with a name", #"{"a""#, 4),
        .syntax("an open object after the colon", #"{"a":"#, 5),
        .syntax("an open object with a member", #"{"a":1"#, 6),
        .syntax("an open object after a comma", #"{"a":1,"#, 7),
        .syntax("a closing bracket alone", "]", 0),
        .syntax("a closing brace alone", "}", 0),
        .syntax("the wrong bracket", "[}", 1),
        .syntax("the wrong brace", "{]", 1),
        .syntax("crossed brackets", #"[{"a":1]}"#, 7),
        .syntax("a trailing comma in an array", "[1,]", 3),
        .syntax("a trailing comma in an object", #"{"a":1,}"#, 7),
        .syntax("a leading comma", "[,1]", 1),
        .syntax("a comma alone", "[,]", 1),
        .syntax("two commas", "[1,,2]", 3),
        .syntax("two commas in an object", #"{"a":1,,"b":2}"#, 7),
        .syntax("a missing comma", "[1 2]", 3),
        .syntax("a missing comma between members", #"{"a":1 "b":2}"#, 7),
        .syntax("a semicolon", "[1;2]", 2),
        .syntax("a colon in an array", #"["a":1]"#, 4),
        .syntax("a comma for the colon", #"{"a",1}"#, 4),
        .syntax("two colons", #"{"a"::1}"#, 5),
        .syntax("a missing colon", #"{"a" 1}"#, 5),
        .syntax("a missing value", #"{"a":}"#, 5),
        .syntax("a missing name", "{:1}", 1),
        .syntax("an unquoted name", "{a:1}", 1),
        .syntax("a single-quoted name", "{'a':1}", 1),
        .syntax("a number as name", "{1:1}", 1),
        .syntax("null as name", "{null:1}", 1),
        .syntax("an equals sign", #"{"a"=1}"#, 4),
        .syntax("a bare value in an object", "{1}", 1),
        .init("NUL", bytes: [0], .syntax(offset: 0)),
        .init("NUL after the document", bytes: [0x31, 0], .syntax(offset: 1)),
        .init("NUL in an array", bytes: [0x5B, 0, 0x5D], .syntax(offset: 1)),
        .init("form feed as white space", bytes: [0x5B, 0x0C, 0x5D], .syntax(offset: 1)),
        .init("vertical tab as white space", bytes: [0x0B, 0x31], .syntax(offset: 0)),
        .syntax("a no-break space", "\u{A0}1", 0),
        .syntax("an ideographic space", "[1,\u{3000}2]", 3),
        .init("a byte order mark", bytes: [0xEF, 0xBB, 0xBF, 0x31], .syntax(offset: 0)),
        .init("UTF-16, little-endian", bytes: [0x31, 0x00], .syntax(offset: 1)),
        .init("UTF-16, big-endian with its mark", bytes: [0xFE, 0xFF, 0x00, 0x31], .syntax(offset: 0)),
    ]

    private static let literals: [RefusedInput] = [
        .syntax("a shortened true", "tru", 3),
        .syntax("a shortened null in an array", "[nul]", 4),
        .syntax("True", "True", 0),
        .syntax("NULL", "NULL", 0),
        .syntax("fALSE", "fALSE", 1),
        .syntax("truer", "truer", 4),
        .syntax("nullnull", "nullnull", 4),
        .syntax("undefined", "undefined", 0),
        .syntax("NaN", "NaN", 0),
        .syntax("nan", "nan", 1),
        .syntax("Infinity", "Infinity", 0),
        .syntax("-Infinity", "-Infinity", 1),
        .syntax("a bare word", "[abc]", 1),
    ]

    private static let numbers: [RefusedInput] = [
        .syntax("a plus sign", "+1", 0),
        .syntax("a minus alone", "-", 1),
        .syntax("two minuses", "--1", 1),
        .syntax("a minus and a space", "- 1", 1),
        .syntax("a leading zero", "01", 1),
        .syntax("a negative leading zero", "-01", 2),
        .syntax("two zeros", "00", 1),
        .syntax("a leading zero before a point", "00.1", 1),
        .syntax("a leading point", ".5", 0),
        .syntax("a negative leading point", "-.5", 1),
        .syntax("a trailing point", "1.", 2),
        .syntax("a trailing point in an array", "[1.]", 3),
        .syntax("two points", "1..2", 2),
        .syntax("a point before the exponent", "1.e1", 2),
        .syntax("two fractions", "1.2.3", 3),
        .syntax("an exponent without digits", "1e", 2),
        .syntax("a signed exponent without digits", "1e+", 3),
        .syntax("an exponent with two signs", "1e+-1", 3),
        .syntax("an exponent with a fraction", "1e1.5", 3),
        .syntax("two exponents", "1e1e1", 3),
        .syntax("an exponent alone", "e1", 0),
        .syntax("hexadecimal", "0x1F", 1),
        .syntax("octal", "0o17", 1),
        .syntax("grouped digits", "1_000", 1),
        .syntax("a comma as decimal point", "[1,5,]", 5),
        .syntax("a space between digits", "[1 000]", 3),
        .syntax("a letter after a number", "[1a]", 2),
        .syntax("a minus after a number", "[1-2]", 2),
        .syntax("full-width digits", "１", 0),
        .syntax("an Arabic digit", "[٣]", 1),
        .syntax("a number suffix", "1L", 1),
    ]

    private static let strings: [RefusedInput] = [
        .syntax("an open string", #"""#, 1),
        .syntax("an open string with text", #""abc"#, 4),
        .syntax("an open long string", #""abcdefghijkl"#, 13),
        .syntax("an open escape", #""\"#, 2),
        .syntax("an escaped last quote", #""a\""#, 4),
        .syntax("a single-quoted string", "'a'", 0),
        .syntax("an unknown escape", #""\a""#, 2),
        .syntax("a hexadecimal escape", #""\x41""#, 2),
        .syntax("an escaped single quote", #""\'""#, 2),
        .syntax("an escaped zero", #""\0""#, 2),
        .syntax("an escaped line break", "\"\\\n\"", 2),
        .syntax("an escaped multi-byte character", #""\é""#, 2),
        .syntax("an upper-case U", #""\U0041""#, 2),
        .syntax("a braced escape", #""\u{41}""#, 3),
        .syntax("no digits", #""\u""#, 3),
        .syntax("three digits", #""\u004""#, 6),
        .syntax("a letter that is no digit", #""\u00g0""#, 5),
        .syntax("a sign among the digits", #""\u+041""#, 3),
        .syntax("a space among the digits", #""\u 041""#, 3),
        .syntax("a plain newline", "\"a\nb\"", 2),
        .syntax("a plain tab", "\"\t\"", 1),
        .syntax("a plain return", "\"\r\"", 1),
        .syntax("a plain NUL", "\"\u{0}\"", 1),
        .syntax("a plain unit separator", "\"01234567\u{1F}\"", 9),
        .syntax("a control character in a name", "{\"a\u{1}\":1}", 3),
        .init("a lone high surrogate", #""\uD800""#, .invalidUTF8(offset: 1)),
        .init("a lone low surrogate", #""\uDC00""#, .invalidUTF8(offset: 1)),
        .init("a high surrogate and text", #""\uD800abcdefg""#, .invalidUTF8(offset: 1)),
        .init("a high surrogate and another escape", #""\uD800\n""#, .invalidUTF8(offset: 1)),
        .init("a high surrogate and a letter's escape", #""\uD800\u0041""#, .invalidUTF8(offset: 1)),
        .init("two high surrogates", #""\uD800\uD800""#, .invalidUTF8(offset: 1)),
        .init("swapped surrogates", #""\uDC00\uD800""#, .invalidUTF8(offset: 1)),
        .init("a pair and a lone surrogate", #""\uD834\uDD1E\uD834""#, .invalidUTF8(offset: 13)),
        .syntax("a broken second half", #""\uD800\uDC0""#, 12),
        .init("a lone surrogate in a name", #"{"\uD800":1}"#, .invalidUTF8(offset: 2)),
    ]

    private static let encodings: [RefusedInput] = [
        .text("a lone continuation byte", [0x80]),
        .text("a lone last continuation byte", [0xBF]),
        .text("an overlong slash of two bytes", [0xC0, 0xAF]),
        .text("an overlong slash of three bytes", [0xE0, 0x80, 0xAF]),
        .text("an overlong slash of four bytes", [0xF0, 0x80, 0x80, 0xAF]),
        .text("an overlong NUL", [0xC0, 0x80]),
        .text("0xC1", [0xC1, 0xBF]),
        .text("the largest overlong of three bytes", [0xE0, 0x9F, 0xBF]),
        .text("the largest overlong of four bytes", [0xF0, 0x8F, 0xBF, 0xBF]),
        .text("an encoded high surrogate", [0xED, 0xA0, 0x80]),
        .text("an encoded low surrogate", [0xED, 0xBF, 0xBF]),
        .text("an encoded pair (CESU-8)", [0xED, 0xA0, 0xB4, 0xED, 0xB4, 0x9E]),
        .text("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        .text("0xF5", [0xF5, 0x80, 0x80, 0x80]),
        .text("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
        .text("0xFE", [0xFE]),
        .text("0xFF", [0xFF]),
        .text("ISO 8859-1", [0x63, 0x61, 0x66, 0xE9], at: 4),
        .text("a sequence cut by the quote", [0xE2, 0x82]),
        .text("two bytes of four", [0xF0, 0x9F]),
        .text("three bytes of four", [0xF0, 0x9F, 0x98]),
        .text("a lead byte before a letter", [0xC3, 0x28]),
        .text("a third byte that continues nothing", [0xE2, 0x82, 0x28]),
        .text("a fourth byte that continues nothing", [0xF0, 0x9F, 0x98, 0x28]),
        .text("a bad byte after seven good ones", Array("0123456".utf8) + [0xFF], at: 8),
        .text("a bad byte after eight good ones", Array("01234567".utf8) + [0xFF], at: 9),
        .init("the input ends in a sequence", bytes: [0x22, 0xE2, 0x82], .invalidUTF8(offset: 1)),
        .init("the input ends in a lead byte", bytes: [0x22, 0xC3], .invalidUTF8(offset: 1)),
        .init("a bad byte in a name", bytes: Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8), .invalidUTF8(offset: 2)),
        .init("a bad byte outside a string", bytes: [0x5B, 0xFF, 0x5D], .syntax(offset: 1)),
    ]

    private static let names: [RefusedInput] = [
        .init("a repeated name", #"{"a":1,"a":2}"#, .duplicateName(offset: 7)),
        .init("a repeated name with the same value", #"{"a":1,"a":1}"#, .duplicateName(offset: 7)),
        .init("a repeated name in another spelling", #"{"a":1,"\u0061":2}"#, .duplicateName(offset: 7)),
        .init("a repeated escaped name", #"{"\u0061":1,"a":2}"#, .duplicateName(offset: 12)),
        .init("two spellings of one escape", #"{"\/":1,"/":2}"#, .duplicateName(offset: 8)),
        .init("a repeated empty name", #"{"":1,"":2}"#, .duplicateName(offset: 6)),
        .init("a repeated name further apart", #"{"a":1,"b":2,"c":3,"a":4}"#, .duplicateName(offset: 19)),
        .init("a repeated name after a nested object", #"{"a":1,"b":{"c":1},"a":2}"#, .duplicateName(offset: 19)),
        .init("a repeated name in a nested object", #"{"x":[{"a":1,"a":2}]}"#, .duplicateName(offset: 13)),
        .init("a repeated name in a spelling of two halves", #"{"😀":1,"\uD83D\uDE00":2}"#, .duplicateName(offset: 10)),
        .init("a repeated name among many", many(repeating: 3), .duplicateName(offset: 791)),
        .init("a repeated late name among many", many(repeating: 97), .duplicateName(offset: 791)),
    ]

    /// A hundred members `"k0":0` … and one name again.
    private static func many(repeating index: Int) -> String {
        "{" + (0..<100).map { "\"k\($0)\":\($0 % 10)," }.joined() + "\"k\(index)\":0}"
    }
}
