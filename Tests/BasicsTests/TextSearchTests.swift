import Basics
import Testing

@Suite("A text in a text")
struct TextSearchTests {
    @Test(
        arguments: [
            ("a::b", "::", 1), ("::", "::", 0), (":::", "::", 0), ("a:b", "::", nil), ("", "::", nil),
            ("ab", "abc", nil),
            ("ä${", "${", 2), ("aab", "ab", 1),
            // One character for `String`, other bytes all the same.
            ("e\u{301}", "\u{E9}", nil), ("K", "\u{212A}", nil),
        ] as [(String, String, Int?)])
    func `is found by its bytes`(_ text: String, _ searched: String, _ offset: Int?) {
        let found = text.firstRange(ofText: searched)
        #expect(found.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
        #expect(found.map { text.utf8[$0].elementsEqual(searched.utf8) } ?? true)
    }
}
