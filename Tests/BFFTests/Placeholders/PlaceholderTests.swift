import Basics
import Cryptography
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// Codes that stand for a sign-in, of which each is exchanged once.
@Suite("A one-time code of the browser's program")
struct PlaceholderTests {
    private static let callback = "https://app.example.com/callback"
    private static let request = PlaceholderRequest(redirectURI: callback, challenge: nil)

    @Test("that two requests exchange at once brings a placeholder to one of them", arguments: StoreKind.allCases)
    func once(_ kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let placeholders = fixture.backend.placeholders
        let code = try await placeholders.code(for: Self.request, "standard", browser.context())
        let (first, context) = (Locked<PlaceholderGrant?>(nil), browser.context())
        // The other one comes after this one has read the code, and before it marks it as used.
        fixture.store.before("commit") {
            let grant = try? await placeholders.exchange(
                code, verifier: nil, redirectURI: Self.callback, "standard", context)
            first.withLock { $0 = grant }
        }
        let second = try await placeholders.exchange(
            code, verifier: nil, redirectURI: Self.callback, "standard", browser.context())
        #expect(first.withLock { $0?.id } != nil && second == nil)
        let third = try await placeholders.exchange(
            code, verifier: nil, redirectURI: Self.callback, "standard", browser.context())
        #expect(third == nil)
    }
}
