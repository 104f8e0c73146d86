import Discovery
import HTTPCore
import JSON
import TestSupport
import Testing

@Suite("Endpoints that a document leaves out")
struct StatedEndpointTests {
    typealias Fixture = ProviderFixture

    private static let leftOut: [(String, JSONValue?)] = [
        ("revocation_endpoint", nil), ("introspection_endpoint", nil), ("end_session_endpoint", nil),
    ]

    private func metadata(
        _ changes: [(String, JSONValue?)], _ endpoints: StatedEndpoints
    ) async throws -> ProviderMetadata {
        let fixture = Fixture()
        fixture.serve(Fixture.document(changes))
        var location = try Fixture.location()
        location.endpoints = endpoints
        return try await fixture.metadata(location)
    }

    private func address(_ text: String) throws -> WebURL { try #require(WebURL(text)) }

    @Test("are known of an AM: they lie below the issuer")
    func derived() async throws {
        let metadata = try await metadata(Self.leftOut, StatedEndpoints(isAM: true))
        #expect(metadata.revocationEndpoint?.text == Fixture.base + "/token/revoke")
        #expect(metadata.introspectionEndpoint?.text == Fixture.base + "/introspect")
        #expect(metadata.endSessionEndpoint == nil)
    }

    @Test("are not made up for any other provider")
    func others() async throws {
        let metadata = try await metadata(Self.leftOut, StatedEndpoints())
        #expect(metadata.revocationEndpoint == nil && metadata.introspectionEndpoint == nil)
    }

    @Test("are as the document says where an AM's does")
    func documented() async throws {
        let metadata = try await metadata(
            [
                ("revocation_endpoint", .string(Fixture.base + "/r")),
                ("introspection_endpoint", .string(Fixture.base + "/i")),
            ],
            StatedEndpoints(isAM: true))
        #expect(metadata.revocationEndpoint?.text == Fixture.base + "/r")
        #expect(metadata.introspectionEndpoint?.text == Fixture.base + "/i")
    }

    @Test("are as configured, whatever the document and AM say, on any origin")
    func configured() async throws {
        let endpoints = StatedEndpoints(
            revocation: try address("https://a.example.net/r"), introspection: try address("https://a.example.net/i"),
            endSession: try address("https://a.example.net/e"), isAM: true)
        for changes in [[], Self.leftOut, [("revocation_endpoint", "https://evil.example.net/")]] {
            let metadata = try await metadata(changes, endpoints)
            #expect(metadata.revocationEndpoint?.text == "https://a.example.net/r")
            #expect(metadata.introspectionEndpoint?.text == "https://a.example.net/i")
            #expect(metadata.endSessionEndpoint?.text == "https://a.example.net/e")
        }
    }
}
