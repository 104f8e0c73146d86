internal import Basics
package import Discovery
package import HTTPCore
internal import JOSE
package import Logs
package import OpenIDConnect

/// The checks of one client.
package final class LiveCheck: Sendable {
    package let client: ClientSettings
    package let pages: PageOrigins
    /// Makes the calls to the provider, with the layers of its product.
    package let transport: any HTTPTransport
    package let directory: ProviderDirectory
    /// The client's OpenID registration.
    package let registration: OpenIDClient

    /// Prepares the checks of a client.
    package init(_ client: ClientSettings, _ pages: PageOrigins, _ transport: any HTTPTransport, _ logger: Logger) {
        self.client = client
        self.pages = pages
        self.transport = transport
        directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: logger)
        registration = OpenIDClient(client.openID, directory: directory, transport: transport, logger: logger)
    }

    /// The end of one check.
    package var deadline: ContinuousClock.Instant { .now + min(client.timeout, .seconds(15)) }

    /// The problem of a provider's published keys, nil when there is none; `section` holds the provider's settings.
    package static func keys(
        _ metadata: ProviderMetadata, _ directory: ProviderDirectory, _ deadline: ContinuousClock.Instant,
        section: String = "oidc"
    ) async -> String? {
        do {
            let keys = try await directory.keys(for: metadata, deadline: deadline)
            return keys.keys.isEmpty ? "the provider publishes no key that can be used" : nil
        } catch {
            return sentence(error, at: metadata.keySetAddress, correct: "jwks_uri at the provider", section: section)
        }
    }
}
