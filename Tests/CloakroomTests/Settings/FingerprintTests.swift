import BFF
import Basics
import DaVinciProduct
import Discovery
import Foundation
import HTTPCore
import JourneyClient
import JourneyProduct
import OpenIDConnect
import Orchestrate
import ProductKit
import SettingsKit
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
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let client = try settings()
        let own = ("ProductKit/ClientSettings+Fingerprint.swift", "extension ClientSettings {")
        let ofOpenID = ("ProductKit/ClientSettings+Fingerprint.swift", "extension OpenIDClientSettings {")
        let keys = ("ProductKit/ClientSettings+Keys.swift", "static let settings")
        let keysOfOpenID = ("ProductKit/Reading/OpenIDClientSettings+Keys.swift", "static let settings")
        let rows: [(parts: [(path: String, start: String)], value: Any)] = [
            ([own, keys], client), ([own], client.allowed), ([keys], client.limits), ([keys], client.webAuthn),
            ([ofOpenID, keysOfOpenID], client.openID), ([ofOpenID], client.openID.endpoints),
            ([("JourneyProduct/JourneySettings.swift", "static let settings")], client.journey),
            ([("DaVinciProduct/DaVinciSettings.swift", "static let settings")], DaVinciSettings()),
            ([("ProductKit/Reading/Section+Client.swift", "static func languages")], client.journey.languages),
        ]
        var count = 0
        for (parts, value) in rows {
            var words: Set<String> = []
            for (path, start) in parts {
                let file = try String(contentsOf: folder.appendingPathComponent("../Sources/" + path), encoding: .utf8)
                let begin = try #require(file.range(of: start), "\(path)").lowerBound
                // Words, so that no name hides in a longer one.
                words.formUnion(file[begin...].components(separatedBy: CharacterSet.alphanumerics.inverted))
            }
            for label in Mirror(reflecting: value).children.compactMap(\.label) {
                count += 1
                // The product is named by its own settings, and tokens are asked about when a flow is over.
                let isApart = ["chosen", "introspectsTokens"].contains(label)
                #expect(isApart || words.contains(label), "\(parts): \(label)")
            }
        }
        #expect(count > 40)
    }

    @Test("is that of the version before, so that flows outlive an upgrade")
    func isStable() throws {
        // A change here ends all flows at an upgrade: CHANGELOG.md has to say so.
        let now = try settings().fingerprint.hex
        #expect(now == "30ad1142f37a869009ada914b7424e88", "\(now)")
    }

    @Test("differs by what reaches the provider, and not by the secret")
    func differs() throws {
        let client = try settings()
        func changed(_ change: (inout ClientSettings, inout JourneySettings) throws -> Void) rethrows -> [UInt8] {
            var (copy, journey) = (client, client.journey)
            try change(&copy, &journey)
            copy.journey = journey
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
            changed { client, _ in client.openID.endpoints.isAM.toggle() },
        ]
        #expect(Set(prints).count == prints.count)
        #expect(changed { client, _ in client.openID.introspectsTokens.toggle() } == prints[0])
        #expect(changed { client, _ in client.openID.authentication = .post(Secret("0ther")) } == prints[5])
    }
}
