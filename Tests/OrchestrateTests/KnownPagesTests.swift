import JSON
import Orchestrate
import Testing

@Suite("Pages that are known")
struct KnownPagesTests {
    /// What a page was made into, and by which making.
    private final class Form: Sendable {
        let shown: JSONObject
        let isKept: Bool

        init(_ shown: JSONObject, _ isKept: Bool) {
            self.shown = shown
            self.isKept = isKept
        }
    }

    private func form(
        _ text: String, _ pages: KnownPages<Form>, sentTo flow: String? = "first"
    ) -> Form {
        pages.form(of: ["t": .string(text)], sentTo: flow) { Form($0, $1) }
    }

    @Test("are kept once a second flow is sent them")
    func keeps() {
        let pages = KnownPages<Form>()
        let first = form("a", pages)
        #expect(!first.isKept)
        let second = form("a", pages, sentTo: "second")
        #expect(second !== first)
        #expect(second.isKept)
        #expect(form("a", pages) === second)
        #expect(form("a", pages, sentTo: nil) === second)
    }

    @Test("are not those of one flow, however often it is sent them and they come out of a store")
    func keepsNothingOfOne() {
        let pages = KnownPages<Form>()
        let made = ["only", nil, "only", nil].map { form("of one user", pages, sentTo: $0) }
        #expect(made.allSatisfy { !$0.isKept })
        #expect(Set(made.map { ObjectIdentifier($0) }).count == 4)
    }

    @Test("are never another page")
    func tellsApart() {
        let pages = KnownPages<Form>(capacity: 8)
        for round in 0..<6 {
            for number in 0..<24 {
                let text = "page \(number)"
                #expect(form(text, pages, sentTo: "\(round)").shown == ["t": .string(text)], "round \(round)")
            }
        }
    }

    @Test("are as many as there is room for, those that are used")
    func forgets() {
        let pages = KnownPages<Form>(capacity: 2)
        for text in ["a", "b"] { for flow in ["first", "second"] { _ = form(text, pages, sentTo: flow) } }
        let a = form("a", pages)
        #expect(a.isKept)
        for flow in ["first", "second"] { _ = form("c", pages, sentTo: flow) }
        #expect(form("a", pages, sentTo: nil) === a)
        #expect(!form("b", pages, sentTo: nil).isKept)
        let c = form("c", pages, sentTo: nil)
        #expect(c.isKept)
    }

    @Test("are none that are too long")
    func leavesLongOnes() {
        let pages = KnownPages<Form>(longest: 11)
        for flow in ["1", "2", "3"] { #expect(!form("abcd", pages, sentTo: flow).isKept) }
        _ = form("abc", pages)
        #expect(form("abc", pages, sentTo: "second").isKept)
    }

    @Test("are not noted when they cannot be made")
    func failures() {
        struct Refused: Error {}
        let pages = KnownPages<Form>()
        for flow in ["1", "2", "3"] {
            #expect(throws: Refused.self) {
                try pages.form(of: [:], sentTo: flow) { _, _ throws(Refused) in throw Refused() }
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
                        let text = "page \((number + task) % 9)"
                        return form(text, pages, sentTo: "\(number % 5)").shown == ["t": .string(text)]
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}
