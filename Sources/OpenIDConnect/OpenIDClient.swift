public import Basics
public import Discovery
public import HTTPCore
internal import JOSE
public import Logs

/// A confidential OpenID client of one provider, shared by all users.
public struct OpenIDClient: Sendable {
    /// The registration.
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

    /// The provider's metadata, from the cache where it is fresh.
    ///
    /// - Throws: `.notReached`, `.busy`, `.noUsableAnswer`, `.configuration` when the document is not acceptable.
    public func metadata(deadline: ContinuousClock.Instant) async throws(OpenIDError) -> ProviderMetadata {
        do {
            return try await directory.metadata(settings.location, deadline: deadline)
        } catch {
            throw OpenIDError(error)
        }
    }

    /// Makes sure that the provider's keys are at hand.
    ///
    /// Asked before a code or a refresh token is spent: an outage of the keys alone must not cost the grant.
    func prepareKeys(_ metadata: ProviderMetadata, deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        do {
            _ = try await directory.keys(for: metadata, deadline: deadline)
        } catch {
            throw OpenIDError(error)
        }
    }

    /// Verifies a signed token with the provider's keys; fetches them anew once when the key id is unknown.
    ///
    /// Throws `.invalidIDToken` with `key` when no such key is to be had, with `signature` when the token is wrong.
    func verify(
        _ token: JWS, _ metadata: ProviderMetadata, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        do {
            let keys = try await directory.keys(for: metadata, deadline: deadline)
            do {
                try token.verify(with: keys, allowing: settings.algorithms)
            } catch .unknownKey(let id) {
                let fresh = try await directory.keys(for: metadata, afterUnknown: id, deadline: deadline)
                try token.verify(with: fresh, allowing: settings.algorithms)
            }
        } catch let error as DiscoveryError {
            throw OpenIDError(error)
        } catch JOSEError.unknownKey {
            throw .invalidIDToken(check: "key")
        } catch {
            throw .invalidIDToken(check: "signature")
        }
    }

    /// Sends a request; only the transport's failures are errors here.
    func send(
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
