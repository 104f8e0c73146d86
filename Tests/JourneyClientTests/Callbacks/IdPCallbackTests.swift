import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("An IdPCallback")
struct IdPCallbackTests {
    private static let provider = callback(
        "IdPCallback",
        [
            output("provider", #""harbour""#), output("clientId", #""c""#), output("redirectUri", #""https://a/b""#),
            output("scopes", #"["openid"]"#), output("nonce", #""n""#), output("acrValues", "null"),
            output("request", #""""#), output("requestUri", "5"), output("acceptsJSON", "true"),
        ], inputs: ["IDToken1token_type", "IDToken1token"])

    @Test func `shows what the application needs for the other provider`() throws {
        #expect(
            try shown(Self.provider)
                == #"{"id":"IDToken1token_type","type":"IdPCallback","provider":"harbour","clientId":"c","redirectUri":"https://a/b","scopes":["openid"],"nonce":"n","acrValues":[],"request":"","requestUri":"","acceptsJSON":true,"answer":{"type":"object","properties":{"token":{"type":"string","maxLength":65536,"writeOnly":true},"tokenType":{"type":"string","oneOf":[{"const":"id_token","title":"id_token"},{"const":"access_token","title":"access_token"},{"const":"authorization_code","title":"authorization_code"}]}},"required":["token","tokenType"],"additionalProperties":false,"hidden":true}}"#
        )
    }

    @Test func `takes a token and what it is, and finds their inputs by how the names end`() throws {
        #expect(try sent(Self.provider, ["token": "t", "tokenType": "id_token"]) == #"["id_token","t"]"#)
        #expect(try faults(Self.provider, ["token": "t", "tokenType": "other"]) == [.notOffered])
        #expect(try faults(Self.provider, ["token": "t"]) == [.required])
        #expect(try faults(Self.provider, "t") == [.wrongType])
        let long = JSONValue.string(String(repeating: "x", count: 65_537))
        #expect(try faults(Self.provider, ["token": long, "tokenType": "id_token"]) == [.tooLong])
    }
}
