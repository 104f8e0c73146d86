import Basics
import Discovery
import HTTPCore
import Logs
import OpenIDConnect

struct BadAddress: Error {}

func makeClient(_ transport: any HTTPTransport, secret: Secret<String>) throws -> OpenIDClient {
    let base = "https://login.example.com/realms/shop"
    guard let discovery = WebURL(base + "/.well-known/openid-configuration") else { throw BadAddress() }
    let logger = Logger(label: "oidc", to: LogLines(format: .text))
    return OpenIDClient(
        OpenIDClientSettings(
            discovery: discovery, clientID: "bff", authentication: .basic(secret), scopes: ["openid", "profile"],
            redirectURI: "https://app.example.com/bff/standard/code"),
        directory: ProviderDirectory(transport: transport, time: SystemTime(), logger: logger),
        transport: transport, logger: logger)
}

func begin(_ client: OpenIDClient, _ stored: inout [String: [UInt8]]) async throws -> Authorization.Request {
    let authorization = try await client.authorization(deadline: .now + .seconds(10))
    stored[authorization.state.reveal()] = authorization.encoded
    return authorization.request
}

func finish(
    _ query: QueryParameters, _ client: OpenIDClient, _ stored: inout [String: [UInt8]]
) async throws -> TokenSet? {
    guard let bytes = stored.removeValue(forKey: query.single("state") ?? "") else { return nil }
    var authorization = try Authorization(decoding: bytes)
    return try await authorization.finish(.query(query), by: client, deadline: .now + .seconds(10))
}
