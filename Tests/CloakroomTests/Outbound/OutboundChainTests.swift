import BFFAPI
import Basics
import DaVinciClient
import DaVinciProduct
import HTTPCore
import Logs
import ProductKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("The chain of outbound calls")
struct OutboundChainTests {
    private let network = ScriptedTransport()
    private let time = ManualTime()
    private let log = RecordedLog()
    private let seen = Locked<[OutboundCall]>([])
    private let url = WebURL("https://am.test/am/oauth2/access_token")

    private var chain: OutboundChain {
        let seen = seen
        return OutboundChain(
            network, observer: { call in seen.withLock { $0.append(call) } }, time: time, logger: log.logger())
    }

    private func send(_ calls: any HTTPTransport) async throws -> ClientResponse {
        var request = ClientRequest(.post, try #require(url))
        request.context = .ownWork("r-7")
        return try await calls.send(request, deadline: .now + .seconds(10))
    }

    @Test func `gives every destination a span and an observer`() async throws {
        network.on(.post, "https://am.test/am/oauth2/access_token", answering: ClientResponse(status: 200))
        let destinations: [(any HTTPTransport, OutboundCall.Destination, Int)] = [
            (chain.toAPIs, .api, 0), (chain.toDocuments(), .documents, 1), (chain.toIntrospection, .introspection, 1),
            (chain.toProvider(), .provider, 1), (chain.toProvider(logsEach: false), .provider, 0),
        ]
        for (calls, destination, lines) in destinations {
            let (before, logged) = (network.requests.count, log.lines.count)
            _ = try await send(calls)
            let sent = try #require(network.requests.last)
            let call = try #require(seen.withLock { $0.last })
            #expect(network.requests.count == before + 1)
            #expect(call.destination == destination && call.outcome == .answered(status: 200))
            #expect(call.host == "am.test" && call.method == "POST" && call.requestID == "r-7")
            #expect(sent.field("traceparent") == "00-\(call.traceID)-\(call.spanID)-00", "\(destination)")
            #expect(log.lines.count - logged == lines, "\(destination)")
        }
        #expect(Set(seen.withLock { $0.map(\.spanID) }).count == destinations.count)
    }

    @Test func `reports calls without an answer by how they failed`() async throws {
        let failures: [(TransportError, OutboundCall.Outcome)] = [
            (.notReached(.connect), .notReached), (.noUsableAnswer(.timeout), .noUsableAnswer),
            (.cancelled, .cancelled),
        ]
        for (error, outcome) in failures {
            network.on(.post, "https://am.test/am/oauth2/access_token", failing: error)
            await #expect(throws: error) { try await send(chain.toProvider()) }
            #expect(seen.withLock { $0.last }?.outcome == outcome)
        }
    }

    @Test func `keeps the pause before the log and the network, and the headers before the pause`() async throws {
        let field = try HTTPField(.retryAfter, checking: "20")
        network.on(
            .post, "https://am.test/am/oauth2/access_token", answering: ClientResponse(status: 429, fields: [field]),
            ClientResponse(status: 200))
        let calls = chain.toProvider(DaVinciSettings().layers(ProviderPause(), time))
        #expect(try await send(calls).status == 429)
        #expect(network.requests.last?.field("x-requested-with") == "ping-sdk")
        let lines = log.lines.count
        #expect(try await send(calls).status == 429)
        #expect(network.requests.count == 1 && seen.withLock { $0.count } == 1 && log.lines.count == lines)
        time.advance(by: .seconds(21))
        #expect(try await send(calls).status == 200)
        // A provider without these layers gets neither.
        _ = try await send(chain.toProvider())
        #expect(network.requests.last?.field("x-requested-with") == nil)
    }

    @Test func `has observers that a program can set, both ways`() async throws {
        let (inbound, outbound) = (Locked<[InboundCall]>([]), Locked<[OutboundCall]>([]))
        var options = Bench.Options()
        options.extensions.inboundObserver = { call in inbound.withLock { $0.append(call) } }
        options.extensions.outboundObserver = { call in outbound.withLock { $0.append(call) } }
        try await withBench(options) { bench in
            try await bench.browser().signIn()
        }
        let start = try #require(inbound.withLock { $0.first { $0.route == "/bff/{instance}/start" } })
        #expect(start.method == "POST" && start.status == 200)
        let caused = outbound.withLock { $0.filter { $0.requestID == start.requestID } }
        #expect(caused.contains { $0.destination == .provider && $0.outcome == .answered(status: 200) })
        #expect(outbound.withLock { $0.contains { $0.destination == .documents } })
    }
}
