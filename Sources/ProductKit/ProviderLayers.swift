package import HTTPCore

/// The layers that a product adds to the calls to its provider.
package struct ProviderLayers: Sendable {
    /// Wraps a transport in another one.
    package typealias Layer = @Sendable (any HTTPTransport) -> any HTTPTransport

    /// Adds the header fields that the provider requires; nil for none.
    package var headers: Layer?
    /// Keeps the pause that the provider asked for with a 429; nil for none.
    package var pause: Layer?

    /// Makes layers; none by default.
    package init(headers: Layer? = nil, pause: Layer? = nil) {
        self.headers = headers
        self.pause = pause
    }

    /// The layers of calls whose header fields the product's client writes itself.
    package var withoutHeaders: ProviderLayers { ProviderLayers(pause: pause) }
}
