import Testing

@testable import StorageKit

@Suite("A table whose entries expire")
struct ExpiringTableTests {
    @Test func `hands out what has expired in the order of time`() {
        var table = ExpiringTable<Int, Int>()
        let times = (0..<500).map { ($0 &* 7919) % 500 }
        for (key, time) in times.enumerated() { table.set(key, time, expires: Int64(time)) }
        var removed = [Int]()
        while removed.count < 250 { table.purge(at: 249, limit: 7) { removed.append($0) } }
        #expect(removed == removed.sorted() && removed.last == 249)
        #expect(table.count == 250)
    }

    @Test func `looks at no more than it is allowed to`() {
        var table = ExpiringTable<Int, Int>()
        for key in 0..<100 { table.set(key, key, expires: 1) }
        var removed = 0
        table.purge(at: 5, limit: 3) { _ in removed += 1 }
        #expect(removed == 3 && table.count == 97)
    }

    @Test func `shows a value when it asked to be looked at, and as often as it asks`() {
        var table = ExpiringTable<Int, [Int64]>()
        table.set(1, [10, 20, 90], expires: 50, purgeDue: 10)
        table.set(2, [], expires: 30)
        var (seen, removed) = ([Int64](), [[Int64]]())
        func purge(_ now: Int64) {
            table.purge(
                at: now, limit: 9,
                kept: { value in
                    seen.append(now)
                    value.removeAll { $0 <= now }
                    return value.first ?? .max
                }, { removed.append($0) })
        }
        purge(9)
        #expect(seen.isEmpty)
        purge(10)
        #expect(seen == [10] && table.value(1, at: 10)?.value == [20, 90])
        purge(25)
        #expect(seen == [10, 25] && table.value(1, at: 25)?.value == [90])
        // A wish beyond the end is granted at the end, and one for a time that has passed not at all.
        table.set(3, [7], expires: 60, purgeDue: 7)
        purge(49)
        #expect(removed == [[]] && seen == [10, 25, 49])
        table.purge(at: 50, limit: 9, kept: { _ in 1 }, { removed.append($0) })
        #expect(removed == [[], [90]])
        #expect(table.count == 1)
    }

    @Test func `shows nothing from the instant an entry ends`() {
        var table = ExpiringTable<Int, Int>()
        table.set(1, 1, expires: 10)
        #expect(table.value(1, at: 9)?.value == 1)
        #expect(table.value(1, at: 10) == nil)
    }

    @Test func `keeps an extended entry, and ends a shortened one early`() {
        var table = ExpiringTable<Int, String>()
        table.set(1, "extended", expires: 10)
        table.set(1, "extended", expires: 100)
        table.set(2, "shortened", expires: 100)
        table.set(2, "shortened", expires: 10)
        var removed = [String]()
        table.purge(at: 50, limit: 10) { removed.append($0) }
        #expect(removed == ["shortened"])
        table.purge(at: 100, limit: 10) { removed.append($0) }
        #expect(removed == ["shortened", "extended"])
    }

    @Test func `is not misled by what removed entries left behind`() {
        var table = ExpiringTable<Int, Int>()
        for round in 0..<1_000 {
            table.set(1, round, expires: 10)
            #expect(table.remove(1)?.value == round)
        }
        table.set(1, 7, expires: 20)
        var removed = [Int]()
        for _ in 0..<2_000 { table.purge(at: 10, limit: 1) { removed.append($0) } }
        #expect(removed.isEmpty && table.value(1, at: 19)?.value == 7)
    }

    @Test func `forgets the earliest when asked to`() {
        var table = ExpiringTable<Int, Int>()
        for key in 0..<10 { table.set(key, key, expires: Int64(100 - key)) }
        table.remove(9)
        table.removeFirst()
        #expect(table.count == 8 && table.value(8, at: 0) == nil)
    }
}
