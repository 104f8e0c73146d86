internal import Basics
internal import DaVinciClient
internal import HTTPCore
internal import Logs

/// The layers that every outbound call passes, as every inbound call passes `CallChain`.
///
/// Each destination has some of these layers, always in this order, from the caller to the network:
///
/// | Layer | Destinations |
/// |---|---|
/// | header fields that the provider's product requires (`PingHeaders`) | PingOne, and its published documents |
/// | the pause that the provider asked for with a 429 (`PausingCalls`) | PingOne |
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
    func toDocuments() -> DocumentCalls { DocumentCalls(ProviderCalls(span(.documents), logger: logger)) }

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
        if let pause = layers.pause { calls = PausingCalls(transport: calls, pause: pause, time: time) }
        if let platform = layers.platform { calls = PingHeaders(calls, platform: platform) }
        return calls
    }

    private func span(_ destination: OutboundCall.Destination) -> TracedCalls {
        TracedCalls(transport, destination, observer)
    }
}

/// The layers that a product adds to the calls to its provider.
struct ProviderLayers: Sendable {
    /// The platform that calls to PingOne name; nil for a provider that requires no such header.
    var platform: String?
    /// The pause that all clients of the provider share; nil for a provider without pauses.
    var pause: ProviderPause?
}

extension ProductSettings {
    /// The layers of the calls to the provider's OAuth endpoints.
    ///
    /// - Parameter pause: The pause that all clients of the provider share; nil for a single check, which keeps none.
    /// - Returns: The layers.
    func layers(_ pause: ProviderPause? = nil) -> ProviderLayers {
        switch self {
        case .journey: ProviderLayers()
        case .davinci(let settings): ProviderLayers(platform: settings.platform, pause: pause)
        }
    }
}
