import StorageKit
import Testing

@Suite("The hub of change messages")
struct ChangeHubTests {
    private let key = SessionKey(tag: [1])

    @Test func `tells the subscribers of a subject and nobody else`() async throws {
        let hub = ChangeHub()
        var mine = try hub.subscribe(to: .session(key)).makeAsyncIterator()
        var other = try hub.subscribe(to: .session(SessionKey(tag: [2]))).makeAsyncIterator()
        var lease = try hub.subscribe(to: .lease("n")).makeAsyncIterator()
        hub.send(.session(key))
        hub.send(.lease("m"))
        hub.close()
        #expect(await mine.next() != nil)
        #expect(await mine.next() == nil)
        #expect(await other.next() == nil)
        #expect(await lease.next() == nil)
    }

    @Test func `tells everybody of what may concern anybody, once until it is read`() async throws {
        let hub = ChangeHub()
        var mine = try hub.subscribe(to: .session(key)).makeAsyncIterator()
        var lease = try hub.subscribe(to: .lease("n")).makeAsyncIterator()
        for _ in 0..<3 { hub.sendToAll() }
        hub.close()
        #expect(await mine.next() != nil)
        #expect(await lease.next() != nil)
        #expect(await mine.next() == nil)
        #expect(await lease.next() == nil)
    }

    @Test func `forgets a subscriber whose stream is gone, whose task was cancelled, or that was ended`() async throws {
        let hub = ChangeHub()
        do {
            let stream = try hub.subscribe(to: .session(key))
            #expect(hub.count == 1)
            _ = stream
        }
        #expect(hub.count == 0)
        let stream = try hub.subscribe(to: .session(key))
        let reading = Task { for await _ in stream {} }
        reading.cancel()
        await reading.value
        #expect(hub.count == 0)
        let last = try hub.subscribe(to: .session(key))
        hub.close()
        #expect(hub.count == 0)
        #expect(throws: StoreError.unavailable) { try hub.subscribe(to: .session(key)) }
        _ = last
    }
}
