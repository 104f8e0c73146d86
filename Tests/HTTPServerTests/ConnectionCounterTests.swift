import Basics
import Testing

@testable import HTTPServer

@Suite("The counter of connections")
struct ConnectionCounterTests {
    private static let peer = PeerAddress(bytes: [192, 0, 2, 1])

    @Test func `asks for room at the limit only, and never without a place for the newcomer`() {
        let counter = ConnectionCounter(limit: 1, peerLimit: 0)
        var asked = 0
        let makesRoom = {
            asked += 1
            return true
        }
        #expect(counter.enter(Self.peer, makesRoom: makesRoom) && asked == 0)
        for _ in 0..<ConnectionCounter.overlap(of: 1) { #expect(counter.enter(Self.peer, makesRoom: makesRoom)) }
        #expect(asked == ConnectionCounter.overlap(of: 1))
        #expect(!counter.enter(Self.peer, makesRoom: makesRoom))
        #expect(asked == ConnectionCounter.overlap(of: 1))
    }

    @Test func `gives the place back where no room is made`() {
        let counter = ConnectionCounter(limit: 1, peerLimit: 2)
        #expect(counter.enter(Self.peer) { false })
        for _ in 0..<3 { #expect(!counter.enter(Self.peer) { false }) }
        #expect(counter.enter(Self.peer) { true })
    }

    @Test func `counts a peer out that was a proxy when it came and is none any more`() {
        let isProxy = Locked(true)
        let counter = ConnectionCounter(limit: 9, peerLimit: 1) { _ in isProxy.withLock { $0 } }
        for _ in 0..<3 { #expect(counter.enter(Self.peer) { false }) }
        isProxy.withLock { $0 = false }
        #expect(!counter.enter(Self.peer) { false })
        for _ in 0..<3 { counter.leave(Self.peer) }
        #expect(counter.enter(Self.peer) { false } && !counter.enter(Self.peer) { false })
        isProxy.withLock { $0 = true }
        counter.leave(Self.peer)
        isProxy.withLock { $0 = false }
        #expect(counter.enter(Self.peer) { false })
    }

    @Test func `asks for no room for a peer that has all it may have`() {
        let counter = ConnectionCounter(limit: 1, peerLimit: 1)
        var asked = 0
        #expect(counter.enter(Self.peer) { false })
        let isIn = counter.enter(Self.peer) {
            asked += 1
            return true
        }
        #expect(!isIn && asked == 0)
    }
}
