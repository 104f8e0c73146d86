internal import Basics
internal import HTTPCore
internal import Logs
internal import ProductKit

/// The layers that every outbound call passes, as every inbound call passes `CallChain`.
///
/// Each destination has some of these layers, always in this order, from the caller to the network:
///
/// | Layer | Destinations |
/// |---|---|
/// | header fields that the provider's product requires (`ProviderLayers.headers`) | PingOne, and its published documents |
/// | the pause that the provider asked for with a 429 (`ProviderLayers.pause`) | PingOne |
/// | a log line (`ProviderCalls`) | providers and issuers; the proxy logs calls to APIs itself |
/// | a span of the trace, and the observer (`TracedCalls`) | all |
struct OutboundChain: Sendable {
    private let transport: any HTTPTransport
    private let observer: OutboundObserver?
    private let time: any TimeSource
    private let logger: Logger

    /// - Parameters:
    ///   - transport: Makes the calls.
    ///   - observer: Receives each finished call, see `ServerExtensions.outboundObserver`; nil for none.
    ///   - time: The clock of the pauses.
    ///   - logger: Gets the lines of `ProviderCalls`.
    init(
        _ transport: any HTTPTransport, observer: OutboundObserver? = nil, time: any TimeSource, logger: Logger
    ) {
        self.transport = transport
        self.observer = observer
        self.time = time
        self.logger = logger
    }

    /// Calls to the APIs behind routes.
    var toAPIs: any HTTPTransport { span(.api) }

    /// Calls for discovery documents and key sets, shared by all clients and issuers.
    func toDocuments() -> DocumentCalls { DocumentCalls(ProviderCalls(span(.documents), logger: logger), time) }

    /// Calls to the introspection endpoints of issuers.
    var toIntrospection: any HTTPTransport {
        ProviderCalls(span(.introspection), introspects: true, logger: logger)
    }

    /// Calls of one client to its provider.
    ///
    /// - Parameters:
    ///   - layers: The layers that the client's product adds.
    ///   - logsEach: False for a workflow, which logs each call itself: then only refusals and failures are logged
    ///     here.
    /// - Returns: The transport of the calls.
    func toProvider(_ layers: ProviderLayers = ProviderLayers(), logsEach: Bool = true) -> any HTTPTransport {
        var calls: any HTTPTransport = ProviderCalls(span(.provider), saysEach: logsEach, logger: logger)
        if let pause = layers.pause { calls = pause(calls) }
        if let headers = layers.headers { calls = headers(calls) }
        return calls
    }

    private func span(_ destination: OutboundCall.Destination) -> TracedCalls {
        TracedCalls(transport, destination, observer)
    }
}
