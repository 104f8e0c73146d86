import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit

extension OIDCReplay {
    /// Reads the fixture as a provider's metadata.
    mutating func discovery() async throws {
        let fixture = fixture
        let path = url?.path ?? AuthorizationServer.base + AuthorizationServer.wellKnown
        let home = url?.origin ?? fixture.body["authorization_endpoint"]?.string.flatMap { WebURL($0)?.origin } ?? "-"
        let origin = Locked("")
        var replay = self
        try await Provider.serving({ received in
            guard received.path == path else { return nil }
            var reply = Reply(fixture)
            reply.body = reply.body.replacing(home, with: origin.withLock { $0 })
            return reply
        }) { provider in
            origin.withLock { $0 = provider.origin }
            let logger = Logger.silent
            let directory = ProviderDirectory(transport: provider.client, time: SystemTime(), logger: logger)
            guard let address = WebURL(provider.origin + path) else { return }
            let result: Result<ProviderMetadata, DiscoveryError>
            do throws(DiscoveryError) {
                result = .success(
                    try await directory.metadata(
                        ProviderLocation(address, issuer: nil), deadline: .now + .seconds(20)))
            } catch {
                result = .failure(error)
            }
            replay.comparison.request(provider.received.first, fixture)
            replay.compare(result, fixture.body.text.replacing(home, with: provider.origin))
        }
        self = replay
    }

    private mutating func compare(_ result: Result<ProviderMetadata, DiscoveryError>, _ body: String) {
        switch result {
        case .success(let metadata):
            comparison.equal("metadata", metadata.json.text, body)
            let word = fixture.expect?["result"]?.string ?? "success"
            if word != "success" { comparison.differs("metadata accepted, expected \(word)") }
            comparison.known(fixture.expect ?? [:], ["result"])
        case .failure(let error):
            if let expect = fixture.expect {
                comparison.known(expect, ["result", "member"])
                if let member = expect["member"]?.string { comparison.equal("member", error.member, member) }
                comparison.equal("result", error.word, expect["result"]?.string)
            } else if case .missing = error, fixture.body["issuer"] == nil {
                return
            } else {
                comparison.differs("result: \(error)")
            }
        }
    }

    /// Reads the fixture as a provider's keys.
    mutating func keys() async throws {
        let fixture = fixture
        try await withClient(answering: AuthorizationServer.base + "/connect/jwk_uri", { _, _ in Reply(fixture) }) {
            replay, setting in
            let directory = ProviderDirectory(transport: setting.provider.client, time: SystemTime(), logger: .silent)
            let expect = fixture.expect ?? [:]
            replay.comparison.known(expect, ["result", "keys", "unused"])
            do throws(DiscoveryError) {
                let metadata = try await directory.metadata(
                    ProviderLocation(setting.discovery, issuer: setting.issuer), deadline: setting.deadline)
                let set = try await directory.keys(for: metadata, deadline: setting.deadline)
                replay.comparison.equal("result", "success", expect["result"]?.string)
                let ids = JSONValue.array(set.keys.map { .string($0.id ?? "") })
                replay.comparison.equal("keys", ids, expect["keys"] ?? .null)
                replay.comparison.equal("unused", Int64(set.skipped), expect["unused"]?.int)
            } catch {
                replay.comparison.equal("result", error.word, expect["result"]?.string)
            }
        }
    }

    /// Reads the fixture as the claims of a user.
    mutating func userinfo() async throws {
        let fixture = fixture
        let bearer = fixture.request?["headers"]?["Authorization"]?.string?.replacing("Bearer ", with: "")
        try await withClient(answering: AuthorizationServer.base + "/userinfo", { _, _ in Reply(fixture) }) {
            replay, setting in
            var tokens = replay.tokens(setting)
            tokens.accessToken = Secret(bearer ?? "at-1")
            tokens.subject = fixture.settings?["subject"]?.string ?? fixture.body["sub"]?.string ?? "demo"
            let asked = tokens
            let result = await attempt { () throws(OpenIDError) in
                try await setting.client.userinfo(asked, deadline: setting.deadline)
            }
            replay.comparison.request(setting.provider.received.last, fixture)
            if let claims = result.value {
                replay.comparison.equal("claims", claims.text, fixture.bodyText)
            }
            guard let expect = fixture.expect else {
                if case .failure(let error) = result { replay.comparison.differs("result: \(error)") }
                return
            }
            replay.comparison.known(expect, ["result", "error", "status"])
            replay.outcome(result, expect)
        }
    }

    /// Revokes a user's tokens.
    mutating func revoke() async throws {
        let fixture = fixture
        let path = AuthorizationServer.base + "/token/revoke"
        try await withClient(answering: path, { _, _ in Reply(fixture) }) { replay, setting in
            let store = MemoryStorage(replay.tokens(setting))
            var storages = CallerStorages()
            storages[.tokens] = store
            let bound = setting.journey.bound(to: Caller(deadline: setting.deadline, storages: storages))
            var failure: JourneyTokenError?
            do throws(JourneyTokenError) { try await bound.user()?.revoke() } catch { failure = error }
            // The hint is optional (RFC 7009 section 2.1), and the client always sends it.
            replay.comparison.request(
                setting.provider.received.first { $0.path == path }, fixture, optional: ["token_type_hint"])
            let expect = fixture.expect ?? [:]
            replay.comparison.known(expect, ["result", "localToken", "serverToken"])
            replay.comparison.equal("result", failure == nil ? nil : "remoteError", expect["result"]?.string)
            if let local = expect["localToken"]?.string {
                replay.comparison.equal("localToken", try await store.get() == nil ? "gone" : "there", local)
            }
            if let server = expect["serverToken"]?.string {
                // Only these say that another attempt makes sense.
                let mayLive =
                    switch failure {
                    case .provider(.busy), .provider(.noUsableAnswer), .provider(.notReached): true
                    default: false
                    }
                replay.comparison.equal("serverToken", mayLive ? "still valid" : "gone", server)
            }
        }
    }
}

extension DiscoveryError {
    /// The word of the fixtures.
    fileprivate var word: String? {
        switch self {
        case .unexpectedStatus, .busy, .unavailable: "apiError"
        case .issuerMismatch, .addressRefused, .missing, .malformed: "configurationError"
        case .cancelled: nil
        }
    }

    /// The member of a document that is at fault.
    fileprivate var member: String {
        switch self {
        case .missing(let member), .addressRefused(let member): member
        case .malformed(let member): member ?? ""
        case .issuerMismatch: "issuer"
        case .unavailable, .busy, .unexpectedStatus, .cancelled: ""
        }
    }
}
