import Basics
import DaVinciClient
import HTTPCore
import TestSupport
import Testing

@Suite("The pause that a provider wants")
struct ProviderPauseTests {
    private func status(_ body: String, then: Int) async throws -> [Int] {
        let (network, time) = (ScriptedTransport(), ManualTime())
        let address = "https://auth.pingone.example/x"
        network.on(.get, address, answering: .json(body, status: 429))
        let calls = PausingCalls(transport: network, pause: ProviderPause(), time: time)
        let request = ClientRequest(.get, try #require(WebURL(address)))
        let first = try await calls.send(request, deadline: .now + .seconds(5)).status
        network.on(.get, address, answering: ClientResponse(status: 200))
        let second = try await calls.send(request, deadline: .now + .seconds(5)).status
        time.advance(by: .seconds(then))
        return [first, second, try await calls.send(request, deadline: .now + .seconds(5)).status]
    }

    @Test("is kept by all that ask it, for as long as it says")
    func kept() async throws {
        #expect(try await status("{}", then: 5) == [429, 429, 200])
        #expect(try await status("{}", then: 4) == [429, 429, 429])
    }

    @Test("is over where it would last more than a minute, because the clock was set back")
    func setBack() async throws {
        #expect(try await status("{}", then: -55) == [429, 429, 429])
        #expect(try await status("{}", then: -56) == [429, 429, 200])
        #expect(try await status("{}", then: -3600) == [429, 429, 200])
    }

    @Test(
        "is none where a node of one user's flow has had enough",
        arguments: [#"{"connectorId":"otpConnector"}"#, #"{"interactionId":"i1"}"#])
    func ofFlow(body: String) async throws {
        #expect(try await status(body, then: 0) == [429, 200, 200])
    }
}
