import Orchestrate
import Testing

@Suite("Pages that are known")
struct KnownPagesTests {
    /// What a page was made into, and by which making.
    private final class Form: Sendable {
        let text: [UInt8]
        let isKept: Bool

        init(_ text: [UInt8], _ isKept: Bool) {
            self.text = text
            self.isKept = isKept
        }
    }

    private func form(
        _ text: String, _ pages: KnownPages<Form>, isSent: Bool = true
    ) -> Form {
        let bytes = Array(text.utf8)
        return pages.form(of: bytes, isSent: isSent) { Form(bytes, $0) }
    }

    @Test("are kept from the second time on that they are sent")
    func keeps() {
        let pages = KnownPages<Form>()
        let first = form("a", pages)
        #expect(!first.isKept)
        let second = form("a", pages)
        #expect(second !== first)
        #expect(second.isKept)
        #expect(form("a", pages) === second)
        #expect(form("a", pages, isSent: false) === second)
    }

    @Test("are not those that were sent once, however often they come out of a store")
    func keepsNothingOfOne() {
        let pages = KnownPages<Form>()
        let made = [true, false, false, false].map { form("of one user", pages, isSent: $0) }
        #expect(made.allSatisfy { !$0.isKept })
        #expect(Set(made.map { ObjectIdentifier($0) }).count == 4)
    }

    @Test("are never another page")
    func tellsApart() {
        let pages = KnownPages<Form>(capacity: 8)
        for round in 0..<6 {
            for number in 0..<24 {
                let text = "page \(number)"
                #expect(form(text, pages).text == Array(text.utf8), "round \(round)")
            }
        }
    }

    @Test("are as many as there is room for, those that are used")
    func forgets() {
        let pages = KnownPages<Form>(capacity: 2)
        for text in ["a", "b"] { for _ in 0..<2 { _ = form(text, pages) } }
        let a = form("a", pages)
        #expect(a.isKept)
        for _ in 0..<2 { _ = form("c", pages) }
        #expect(form("a", pages, isSent: false) === a)
        #expect(!form("b", pages, isSent: false).isKept)
        let c = form("c", pages, isSent: false)
        #expect(c.isKept)
    }

    @Test("are none that are too long")
    func leavesLongOnes() {
        let pages = KnownPages<Form>(longest: 3)
        for _ in 0..<3 { #expect(!form("abcd", pages).isKept) }
        _ = form("abc", pages)
        #expect(form("abc", pages).isKept)
    }

    @Test("are not noted when they cannot be made")
    func failures() {
        struct Refused: Error {}
        let pages = KnownPages<Form>()
        for _ in 0..<3 {
            #expect(throws: Refused.self) {
                try pages.form(of: [1], isSent: true) { _ throws(Refused) in throw Refused() }
            }
        }
    }

    @Test("are shared by many at once")
    func concurrent() async {
        let pages = KnownPages<Form>(capacity: 4)
        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { number in
                        let bytes = Array("page \((number + task) % 9)".utf8)
                        return pages.form(of: bytes, isSent: true) { Form(bytes, $0) }.text == bytes
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
