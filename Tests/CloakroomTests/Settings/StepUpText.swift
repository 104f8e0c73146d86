import Foundation
import SettingsKit

@testable import Cloakroom

/// A settings file with a step-up, for tests that change a piece of it.
enum StepUpText {
    /// No fault in it; the line numbers are those of the tables.
    static let good = """
        server: { publicUrl: https://app.example.com, trustedPeers: [] }
        clients:
          standard: { type: journey, serverUrl: https://t.example/am, realm: alpha, journeys: [Login],
                      oidc: { clientId: bff, clientSecret: "${SECRET}", scopes: [openid], redirectUri: https://app.example.com/a } }
          transaction: { type: journey, serverUrl: https://t.example/am, realm: alpha, journeys: [StepUp],
                      tokenStorage: transaction, minimum: high-value, limits: { absolute: 5m },
                      oidc: { clientId: bff-tx, clientSecret: "${SECRET}", scopes: [openid, WRITE], redirectUri: https://app.example.com/b } }
        requirements:
          high-value: { scopes: [WRITE], authLevel: 3, amr: { any: [biometric] }, maxAge: 5m, stepUp: transaction, challengeAcr: gold }
        routes:
          - { path: /api/accounts, upstream: https://ledger/accounts, methods: [GET], clients: [standard], require: signed-in }
          - { path: /api/pay, upstream: https://ledger/pay, methods: [POST], clients: [standard, transaction], require: high-value }
        issuers:
          - { issuer: https://t.example/am/oauth2/alpha, profile: am, audiences: [bff-tx] }
        """

    static func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch {
            return error.problems.map { String("\($0)".dropFirst("cloakroom.yaml:".count)) }
        }
    }

    static func read(_ text: String) throws(SettingsError) -> SettingsSource.Reading {
        let source = SettingsSource(path: "cloakroom.yaml", environment: ["SECRET": "s3cret"])
        return try source.read(Array(text.utf8), files: SettingsFiles(besides: "/nowhere/"), isPublic: false).reading
    }

    /// The good text with one piece in place of another.
    static func replacing(_ old: String, _ new: String) -> String {
        good.replacingOccurrences(of: old, with: new)
    }
}
