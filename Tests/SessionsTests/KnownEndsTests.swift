import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("The end of a session that this process saw")
struct KnownEndsTests {
    @Test("is forgotten when there are too many")
    func bounded() {
        let ends = KnownEnds()
        let standard = InstanceName(client: "standard", account: "")
        let keys = (0..<10_000).map { _ in SessionCredential.generate().sessionKey }
        for key in keys { ends.note(key, standard, .ended) }
        #expect(ends.reason(keys[0], standard) == nil && ends.reason(keys[9999], standard) == .ended)
        #expect(keys.count { ends.reason($0, standard) != nil } <= 8192)
        // What is known already takes no place again, and what anybody can make takes none of others.
        let now = ManualTime().now()
        for _ in 0..<10_000 { ends.note(keys[0], standard, .ended) }
        for key in keys { ends.note(key, isSignedIn: false, .over(.ended)) }
        #expect(ends.reason(keys[9999], standard) == .ended)
        #expect(ends.reason(keys[9999], isSignedIn: true, at: now) == nil)
        #expect(ends.reason(keys[9999], isSignedIn: false, at: now) == .ended)
    }
}
