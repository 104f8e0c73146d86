import Basics
import Foundation
import Logs
import SettingsKit

@testable import Cloakroom

/// A settings file for tests: a small good one, and what becomes of changed ones.
enum SettingsText {
    static let variables = ["SECRET": "s3cret", "SESSION_KEY": "LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM"]

    /// Twelve lines without a fault.
    static let good = """
        server: { publicUrl: https://app.example.com, trustedPeers: [] }
        clients:
          standard:
            type: journey
            serverUrl: https://tenant.example.com/am
            realm: alpha
            journeys: [Login]
            oidc:
              clientId: bff
              clientSecret: ${SECRET}
              scopes: [openid]
              redirectUri: https://app.example.com/code
        """

    /// The good one with one piece of text replaced by another.
    static func replacing(_ old: String, _ new: String) -> String {
        good.replacingOccurrences(of: old, with: new)
    }

    /// Reads a text as `cloakroom.yaml` in a directory.
    static func read(
        _ text: String, directory: String = "/nowhere/", environment: [String: String] = SettingsText.variables,
        isPublic: Bool = false
    ) throws(SettingsError) -> SettingsSource.Reading {
        let source = SettingsSource(path: "cloakroom.yaml", environment: environment)
        return try source.read(Array(text.utf8), files: SettingsFiles(besides: directory), isPublic: isPublic).reading
    }

    /// The problems of a text, one a line without the name of the file.
    static func problems(
        _ text: String, directory: String = "/nowhere/", environment: [String: String] = SettingsText.variables
    ) -> [String] {
        do {
            _ = try read(text, directory: directory, environment: environment)
            return []
        } catch {
            return error.problems.map { String("\($0)".dropFirst("cloakroom.yaml:".count)) }
        }
    }
}
