import Basics
import Testing

@Suite("A search for what was meant")
struct MisspellingTests {
    @Test(
        "finds the key that was meant",
        arguments: [
            ("publicURL", "publicUrl"), ("publicurl", "publicUrl"), ("pubilcUrl", "publicUrl"),
            ("publcUrl", "publicUrl"),
            ("publicUrll", "publicUrl"), ("listne", "listen"), ("ilde", "idle"),
        ])
    func suggestions(key: String, meant: String) {
        #expect(Misspelling.nearest(to: key, among: ["listen", "publicUrl", "idle", "admin"]) == meant)
    }

    @Test("finds no key that is far away", arguments: ["", "x", "id", "absolute", "public", "url"])
    func noSuggestions(key: String) {
        #expect(Misspelling.nearest(to: key, among: ["listen", "publicUrl", "idle", "admin"]) == nil)
    }
}
