import StorageKit
import Testing

@testable import Sessions

@Suite("Sessions without a sign-in")
struct AnonymousSessionsTests {
    @Test("are remembered in a bounded list")
    func bounded() {
        let sessions = AnonymousSessions(limit: 100)
        var keys: [SessionKey] = []
        for number in 0..<50_000 {
            let key = SessionKey(tag: Array("\(number)".utf8))
            keys.append(key)
            let dropped = sessions.add(key)
            if number.isMultiple(of: 3) { sessions.remove(key) }
            if let dropped { #expect(keys.contains(dropped)) }
            if keys.count > 400 { keys.removeFirst(200) }
        }
        #expect(sessions.count == 100)
        sessions.remove(nil)
        sessions.remove(SessionKey(tag: [1]))
        #expect(sessions.count == 100)
    }
}
