import TestSupport
import Testing

@testable import HTTPClient

@Suite("Admission")
struct AdmissionTests {
    private func admission(perHost: Int = 2, total: Int = 3, waiting: Int = 4) -> TransferQueue<String, Int> {
        TransferQueue(perHost: perHost, total: total, waiting: waiting)
    }

    @Test func `starts up to the host's limit, then lets wait in order`() {
        var admission = admission()
        let decisions = [1, 2, 3, 4].map { admission.admit($0, to: "a") }
        #expect(decisions == [.start, .start, .wait, .wait])
        #expect(admission.next() == nil)
        admission.release("a")
        #expect(admission.next() == 3)
        #expect(admission.next() == nil)
        admission.release("a")
        admission.release("a")
        #expect(admission.next() == 4)
        #expect(admission.waiting == 0)
    }

    @Test func `lets another host pass one that is at its limit`() {
        var admission = admission()
        let decisions = [1, 2, 3].map { admission.admit($0, to: "a") }
        #expect(decisions == [.start, .start, .wait])
        #expect(admission.admit(4, to: "b") == .start)
        #expect(admission.admit(5, to: "b") == .wait)
        admission.release("b")
        #expect(admission.next() == 5)
    }

    @Test func `takes the one that came first among hosts with room`() {
        var admission = admission(perHost: 3, total: 1)
        #expect(admission.admit(1, to: "a") == .start)
        for (id, host) in [(2, "c"), (3, "a"), (4, "b")] { #expect(admission.admit(id, to: host) == .wait) }
        var order: [Int?] = []
        for host in ["a", "c", "a"] {
            admission.release(host)
            order.append(admission.next())
        }
        #expect(order == [2, 3, 4])
    }

    @Test func `lets nobody overtake those who wait for the same host`() {
        var admission = admission(perHost: 1, total: 9)
        #expect(admission.admit(1, to: "a") == .start)
        #expect(admission.admit(2, to: "a") == .wait)
        admission.release("a")
        #expect(admission.admit(3, to: "a") == .wait)
        #expect(admission.next() == 2)
    }

    @Test func `refuses beyond its bound and accepts again when one left`() {
        var admission = admission(waiting: 1)
        let decisions = [1, 2, 3, 4].map { admission.admit($0, to: "a") }
        #expect(decisions == [.start, .start, .wait, .refuse])
        #expect(admission.withdraw(3) == true)
        #expect(admission.withdraw(3) == false)
        #expect(admission.withdraw(1) == false)
        #expect(admission.admit(5, to: "a") == .wait)
        admission.release("a")
        #expect(admission.next() == 5)
    }

    @Test func `skips those who left`() {
        var admission = admission(perHost: 1, waiting: 1000)
        #expect(admission.admit(0, to: "a") == .start)
        for id in 1...500 { #expect(admission.admit(id, to: "a") == .wait) }
        for id in 1...499 { #expect(admission.withdraw(id) == true) }
        #expect(admission.waiting == 1)
        admission.release("a")
        #expect(admission.next() == 500)
        admission.release("a")
        #expect(admission.next() == nil)
        #expect(admission.admit(1, to: "a") == .start)
    }

    @Test func `keeps its limits under random use`() {
        var random = SplitMix(state: 7)
        var running: [(id: Int, host: Int)] = []
        var waiting: [(id: Int, host: Int)] = []
        var queue = TransferQueue<Int, Int>(perHost: 2, total: 5, waiting: 10)
        for id in 0..<5000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let host = Int.random(in: 0..<4, using: &random)
                switch queue.admit(id, to: host) {
                case .start: running.append((id, host))
                case .wait: waiting.append((id, host))
                case .refuse: #expect(waiting.count == 10)
                }
            case 2:
                guard let index = running.indices.randomElement(using: &random) else { continue }
                queue.release(running.remove(at: index).host)
            default:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                #expect(queue.withdraw(waiting.remove(at: index).id) == true)
            }
            while let next = queue.next() {
                guard let index = waiting.firstIndex(where: { $0.id == next }) else {
                    Issue.record("\(next) was not waiting")
                    return
                }
                let entry = waiting.remove(at: index)
                #expect(!waiting.contains { $0.host == entry.host && $0.id < entry.id })
                running.append(entry)
            }
            #expect(running.count <= 5)
            for host in 0..<4 { #expect(running.count { $0.host == host } <= 2) }
            #expect(queue.waiting == waiting.count)
            let stuck = waiting.contains { entry in
                running.count < 5 && running.count { $0.host == entry.host } < 2
            }
            #expect(!stuck)
        }
    }
}
