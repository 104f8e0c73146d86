import BFF
import Basics
import Discovery
import Foundation
import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate
import TestSupport
import Testing

@testable import Cloakroom

/// By what a flow knows that the client that began it is still the same.
@Suite("The fingerprint of a client's settings")
struct FingerprintTests {
    private func settings() throws -> ClientSettings {
        try SettingsText.read(SettingsText.good).settings.clients[0]
    }

    @Test("has every setting in it, also those that come later")
    func isComplete() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let path = "../Sources/Cloakroom/Settings/ClientSettings+Fingerprint.swift"
        let file = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        // The part of each type, by its beginning; words, so that no name hides in a longer one.
        let parts = file.components(separatedBy: "\nextension ").map { part in
            (part, Set(part.components(separatedBy: CharacterSet.alphanumerics.inverted)))
        }
        let client = try settings()
        guard case .journey(let journey) = client.product else {
            Issue.record("no journey")
            return
        }
        var count = 0
        let values: [(String, Any)] = [
            ("ClientSettings", client), ("ProductSettings", journey), ("ProductSettings", journey.languages),
            ("OpenIDClientSettings", client.openID), ("OpenIDClientSettings", client.openID.endpoints),
            ("ClientSettings", client.allowed), ("ProductSettings", DaVinciSettings()),
        ]
        for (type, value) in values {
            let words = try #require(parts.first { $0.0.hasPrefix(type + " {") }).1
            for label in Mirror(reflecting: value).children.compactMap(\.label) {
                count += 1
                #expect(words.contains(label), "\(type).\(label)")
            }
        }
        #expect(count > 40)
    }

    @Test("differs by what reaches the provider, and not by the secret")
    func differs() throws {
        let client = try settings()
        func changed(_ change: (inout ClientSettings, inout JourneySettings) throws -> Void) rethrows -> [UInt8] {
            var copy = client
            guard case .journey(var journey) = copy.product else { return [] }
            try change(&copy, &journey)
            copy.product = .journey(journey)
            return copy.fingerprint
        }
        let prints = [
            client.fingerprint,
            changed { _, journey in journey.languages.values = ["fr"] },
            changed { _, journey in journey.languages.mode = journey.languages.mode == .append ? .override : .append },
            changed { _, journey in journey.headers = [HTTPField("x-brand", "blue")] },
            changed { _, journey in journey.headers = [HTTPField("x-brand", "green")] },
            changed { client, _ in client.openID.authentication = .post(Secret("s3cret")) },
            changed { _, journey in journey.exposed = ["contract"] },
            changed { _, journey in journey.transactions = true },
            changed { client, _ in client.openID.grantsConsent.toggle() },
            changed { client, _ in client.openID.introspectsTokens.toggle() },
            changed { client, _ in client.openID.endpoints.isAM.toggle() },
        ]
        #expect(Set(prints).count == prints.count)
        #expect(changed { client, _ in client.openID.authentication = .post(Secret("0ther")) } == prints[5])
    }
}
