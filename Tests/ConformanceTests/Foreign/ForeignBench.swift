import BFF
import BFFAPI
import Basics
import Cryptography
import Discovery
import HTTPCore
import HTTPServer
import JSON
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit
import TestSupport

/// A provider's documents as it published them, at the time of its tokens, and ours that takes them.
struct ForeignBench {
    let network = ScriptedTransport()
    let time: ManualTime
    let log = RecordedLog()
    let issuer: String
    let location: WebURL
    private let document: JSONObject

    static let introspectionID = "api"

    /// - Parameters:
    ///   - issuer: The issuer.
    ///   - document: Its discovery document.
    ///   - keys: Its key set, as published.
    ///   - now: The time, in seconds since 1970.
    /// - Throws: For a document without addresses.
    init(issuer: String, document: JSONObject, keys: [UInt8], now: Int64) throws {
        guard let location = WebURL(issuer + "/.well-known/openid-configuration"),
            let keyAddress = document["jwks_uri"]?.string
        else { throw Fixture.Malformed(name: issuer, member: "issuer") }
        self.issuer = issuer
        self.location = location
        self.document = document
        time = ManualTime(Timestamp(seconds: now))
        network.on(.get, location.text, answering: .json(document.text))
        network.on(
            .get, keyAddress,
            answering: ClientResponse(status: 200, fields: [.contentType: "application/json"], body: keys))
    }

    /// Of a provider whose document is in the folder.
    init(_ folder: ForeignFolder, provider: String, keys: String, now: Int64) throws {
        let document = try folder.json(provider + "-discovery.json").object ?? [:]
        try self.init(
            issuer: document["issuer"]?.string ?? "", document: document, keys: try folder.bytes(keys), now: now)
    }

    /// Answers questions about tokens.
    func introspect(_ body: String, status: Int = 200) throws {
        guard let address = document["introspection_endpoint"]?.string else {
            throw Fixture.Malformed(name: issuer, member: "introspection_endpoint")
        }
        network.on(.post, address, answering: .json(body, status: status))
    }

    func accessGuard(
        _ profile: TokenProfile, audiences: Set<String> = [], clients: Set<String> = [],
        asks mode: ((IntrospectionSettings) -> ValidationMode)? = nil
    ) throws -> AccessGuard {
        let asking = IntrospectionSettings(clientID: Self.introspectionID, clientSecret: Secret("s"))
        let trusted = try TrustedIssuer(
            issuer: issuer, discovery: location, profile: profile, audiences: audiences, clients: clients,
            mode: mode?(asking) ?? .jwt)
        let logger = log.logger()
        // Many bad tokens, one after the other: none has to wait for the next look at the keys.
        var settings = DirectorySettings()
        settings.missedFetchInterval = .zero
        let directory = ProviderDirectory(transport: network, time: time, logger: logger, settings: settings)
        return try AccessGuard(
            issuers: [trusted], transport: network, directory: directory, time: time, logger: logger)
    }

    /// What `/authz/…` answers.
    func ask(_ accessGuard: AccessGuard, _ requirement: Requirement, _ token: String) async throws -> OwnAnswer {
        let backend = Backend(
            settings: BFFSettings(), clients: [], requirements: [], store: MemoryStore(time: time),
            keys: try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), time: time,
            renderer: UserDocument(), logger: .silent)
        let named = requirement.name == "signed-in" ? [] : [requirement]
        let api = AdminAPI(
            backend: backend, authz: AuthzAPI(AuthzSettings(requirements: named), accessGuard: accessGuard))
        let request = ServerRequest(
            method: .get, target: "/authz/\(requirement.name)",
            headers: RequestHeaders([(name: "Authorization", value: "Bearer \(token)")]))
        return OwnAnswer(await api.handle(request))
    }

    /// The check that refused the last token.
    var refusedBy: String? {
        log.lines.last { $0.contains("Token refused") }?.split(separator: "check=").last.map { String($0) }
    }

    /// Takes an ID token as the answer to a refresh, whose checks on the nonce need no sign-in of ours.
    func take(idToken: String, accessToken: String, client: String, subject: String) async throws -> OpenIDError? {
        guard let redirect = WebURL("https://app.example.com/callback") else { return nil }
        let openID = OpenIDClient(
            OpenIDClientSettings(
                discovery: location, clientID: client, authentication: .basic(Secret("s")), scopes: ["openid"],
                redirectURI: redirect.text),
            directory: ProviderDirectory(transport: network, time: time, logger: .silent), transport: network,
            time: time, logger: .silent)
        network.on(
            .post, document["token_endpoint"]?.string ?? "",
            answering: .json(
                #"{"access_token":"\#(accessToken)","id_token":"\#(idToken)","token_type":"Bearer","expires_in":60}"#))
        let old = TokenSet(
            accessToken: Secret("at-0"), refreshToken: Secret("rt-0"), scopes: ["openid"], issuedAt: time.now(),
            expiresAt: time.now(), issuer: issuer, clientID: client, subject: subject)
        do throws(OpenIDError) {
            let new = try await openID.refresh(old, deadline: .now + .seconds(60))
            return new.idToken?.reveal() == idToken ? nil : .invalidIDToken(check: "not kept")
        } catch {
            return error
        }
    }
}
