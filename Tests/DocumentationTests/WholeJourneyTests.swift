import Basics
import HTTPCore
import JSON
import JourneyClient
import Orchestrate
import TestSupport
import Testing

@Suite("A journey without the server")
struct WholeJourneyTests {
    private let network = ScriptedTransport()
    private static let am = "https://tenant.example.com/am/json/realms/root/realms/alpha"

    /// A journey to whose calls AM gives these answers, one after the other.
    private func bound(_ answers: String...) throws -> BoundJourney {
        network.on(.get, Self.am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        let left = Locked(answers[...])
        network.on(.post, Self.am + "/authenticate") { _ in .json(left.withLock { $0.popFirst() } ?? "{}") }
        return try makeJourney(network).bound(to: UserStores().caller())
    }

    private static func page(_ callbacks: String) -> String { #"{"authId":"a","callbacks":[\#(callbacks)]}"# }

    private static let end = #"{"tokenId":"the-session","successUrl":"/","realm":"/alpha"}"#

    private func isSignedIn(_ step: FlowStep?) -> Bool {
        if case .success(let success)? = step?.node { success.isSignedIn } else { false }
    }

    private func redirect(to address: String) -> String {
        Self.page(
            #"{"type":"RedirectCallback","output":[{"name":"redirectUrl","value":"\#(address)"},"#
                + #"{"name":"redirectMethod","value":"GET"},{"name":"trackingCookie","value":true}]}"#)
    }

    @Test func `sends its user away, and goes on with what they bring`() async throws {
        let bound = try bound(redirect(to: "https://tenant.example.com/social?state=s-1"), Self.end)
        let left = try #require(leave(try await bound.start(), bound.journey))
        #expect(left.departure.redirectURL == "https://tenant.example.com/social?state=s-1")
        let step = try await comeBack("code=c&state=s-1&authuser=0", left.kept, bound)
        #expect(isSignedIn(step))
        #expect(network.requests.last?.url.query == "code=c&state=s-1")
    }

    @Test func `sends nobody to a host that is not allowed, and goes on with no other state`() async throws {
        let alien = try bound(redirect(to: "https://evil.example.com/"))
        #expect(leave(try await alien.start(), alien.journey) == nil)
        let bound = try bound(redirect(to: "https://tenant.example.com/social?state=s-1"), Self.end)
        let left = try #require(leave(try await bound.start(), bound.journey))
        let sent = network.requests.count
        #expect(!isSignedIn(try await comeBack("code=c&state=s-2", left.kept, bound)))
        #expect(network.requests.count == sent)
    }

    @Test func `goes on with a link`() async throws {
        let bound = try bound(Self.end)
        #expect(isSignedIn(try await openLink("https://app.example.com/mail?suspendedId=id-1&realm=/alpha", bound)))
        #expect(network.requests.last?.url.query == "suspendedId=id-1")
        #expect(try await openLink("https://app.example.com/mail", bound) == nil)
    }

    @Test func `takes the credential of a browser`() async throws {
        let question =
            #"{"type":"MetadataCallback","output":[{"name":"data","value":{"_action":"webauthn_registration","#
            + #""challenge":"AQID","_relyingPartyId":"example.com","userName":"u","displayName":"u","userId":"u1","#
            + #""relyingPartyName":"e","_pubKeyCredParams":[{"type":"public-key","alg":-7}]}}]},"#
            + #"{"type":"HiddenValueCallback","output":[{"name":"id","value":"webAuthnOutcome"}],"#
            + #""input":[{"name":"IDToken2","value":"webAuthnOutcome"}]}"#
        let bound = try bound(Self.page(question), Self.end)
        let authenticator = SoftwareAuthenticator(origin: "https://app.example.com")
        let step = try await useCredential(try await bound.start(), bound) { publicKey, kind in
            #expect(kind == .registration)
            return try authenticator.create(.object(publicKey))
        }
        #expect(isSignedIn(step))
        let sent = try JSONValue(parsing: try #require(network.requests.last).body)
        let outcome = try #require(sent["callbacks"]?[1]?["input"]?[0]?["value"]?.string)
        #expect(outcome.contains("webauthn.create") && outcome.contains("::"))
    }

    @Test func `polls when that is due`() async throws {
        let wait = Self.page(
            #"{"type":"PollingWaitCallback","output":[{"name":"waitTime","value":"2500"}]}"#)
        let bound = try bound(wait, wait, Self.end)
        let pauses = Locked<[Duration]>([])
        let step = try await waitOn(try await bound.start(), bound) { pause in pauses.withLock { $0.append(pause) } }
        #expect(isSignedIn(step))
        #expect(pauses.withLock { $0 } == [.milliseconds(2500), .milliseconds(2500)])
    }
}
