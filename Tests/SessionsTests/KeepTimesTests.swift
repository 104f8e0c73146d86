import Basics
import StorageKit
import Testing

@testable import Sessions

@Suite("The time to prolong a provider session")
struct KeepTimesTests {
    @Test("is not remembered here for longer than a session may be idle")
    func bounded() {
        let times = KeepTimes(every: .seconds(300), idle: .seconds(1800))
        var now = Timestamp(milliseconds: 1_700_000_000_000)
        for round in 0..<5 {
            for number in 0..<1024 {
                let key = FlightKey(session: SessionKey(tag: Array("\(round) \(number)".utf8)), field: "s")
                #expect(!times.isDue(key, at: now))
            }
            now = now + .seconds(2101)
        }
        #expect(times.count <= 2048)
    }
}
