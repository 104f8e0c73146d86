import Testing

@testable import HTTPServer

@Suite("Of the connections that wait for their clients,")
struct OldestConnectionsTests {
    private typealias Age = OldestConnections.Age

    @Test func `one without a head goes before one whose body is on its way, then the older one, then the first`() {
        let order = [
            Age(isReceiving: false, since: 1, number: 9), Age(isReceiving: false, since: 2, number: 3),
            Age(isReceiving: false, since: 2, number: 4), Age(isReceiving: true, since: 0, number: 1),
            Age(isReceiving: true, since: 1, number: 0),
        ]
        #expect(order.reversed().sorted() == order)
    }
}
