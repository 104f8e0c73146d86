import Basics
import Discovery
import HTTPCore
import Logs
import ResourceServer

let highValue = Requirement(
    name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
    maxAge: .age(.seconds(300)), challengeACR: "gold")

struct NoAddress: Error {}

func makeGuard(_ transport: any HTTPTransport) throws -> AccessGuard {
    let issuer = "https://tenant.example.com/am/oauth2/realms/root/realms/alpha"
    guard let discovery = WebURL(issuer + "/.well-known/openid-configuration") else { throw NoAddress() }
    let logger = Logger(label: "api", to: LogLines(format: .text))
    return try AccessGuard(
        issuers: [TrustedIssuer(issuer: issuer, discovery: discovery, profile: .am, audiences: ["bff-tx"])],
        transport: transport,
        directory: ProviderDirectory(transport: transport, time: SystemTime(), logger: logger), logger: logger)
}

func answer(_ authorization: [String], _ accessGuard: AccessGuard) async -> (status: Int, challenge: String?) {
    switch await accessGuard.decide(authorization: authorization, highValue) {
    case .allow: (200, nil)
    case .challenge(let challenge): (challenge.status, challenge.header(realm: "ledger"))
    case .unavailable: (503, nil)
    }
}
