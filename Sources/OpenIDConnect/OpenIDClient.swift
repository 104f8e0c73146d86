public import Basics
public import Discovery
public import HTTPCore
public import Logs

/// A confidential OpenID client of one provider, shared by all users.
public final class OpenIDClient: Sendable {
    /// The client's registration at the provider.
    public let settings: OpenIDClientSettings
    let directory: ProviderDirectory
    let transport: any HTTPTransport
    let time: any TimeSource
    let logger: Logger

    /// A client of one provider.
    public init(
        _ settings: OpenIDClientSettings, directory: ProviderDirectory, transport: any HTTPTransport,
        time: any TimeSource = SystemTime(), logger: Logger = .silent
    ) {
        self.settings = settings
        self.directory = directory
        self.transport = transport
        self.time = time
        self.logger = logger
    }

    /// The provider's metadata, from the cache where they are fresh.
    ///
    /// - Throws: `.notReached`, `.busy`, `.noUsableAnswer`, `.configuration` when the document is not acceptable.
    public func metadata(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> ProviderMetadata {
        do {
            return try await directory.metadata(settings.location, deadline: deadline)
        } catch {
            throw OpenIDError(error)
        }
    }

    /// Ensures that the provider's keys are cached.
    ///
    /// Runs before a code or a refresh token is sent, so that it is not used up when only the keys cannot be had. Does
    /// nothing for a client whose ID tokens are checked with its secret.
    func prepareKeys(_ metadata: ProviderMetadata, deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        if settings.algorithms.isEmpty { return }
        do {
            _ = try await directory.keys(for: metadata, deadline: deadline)
        } catch {
            throw OpenIDError(error)
        }
    }

    /// Sends a request; throws only for failures of the transport.
    package func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> ClientResponse {
        do {
            return try await transport.send(request, deadline: deadline)
        } catch {
            switch error {
            case .notReached: throw .notReached
            case .noUsableAnswer: throw .noUsableAnswer
            case .cancelled: throw .cancelled
            }
        }
    }
}
