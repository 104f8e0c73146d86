import HTTPClient
import HTTPCore
import TestSupport
import Testing

@Suite("The transport of the process")
struct DefaultTransportTests {
    @Test func `is made once for all who ask, and anew after it was closed`() async throws {
        let peer = try ScriptedPeer { connection in
            while connection.readRequest() != nil { connection.write(answer()) }
        }
        defer { peer.stop() }
        let url = try #require(WebURL(peer.origin))
        for round in 1...2 {
            for _ in 0..<2 {
                let reply = try await DefaultTransport.shared.send(
                    ClientRequest(.get, url), deadline: .now + .seconds(10))
                #expect(reply.status == 200)
            }
            await DefaultTransport.shared.close()
            // A second transport would have had a connection of its own.
            #expect(peer.connectionCount == round)
        }
        // A second time there is nothing to close.
        await DefaultTransport.shared.close()
    }
}
