import ProductKit
@testable import Cloakroom

/// Languages and header fields of a client's journeys.
extension SettingsFaultTests {
    static let journeyFields = [
        Row(
            "realm: alpha", "realm: alpha\n    languages: fr",
            "7: clients.standard.languages: expected keys with values"),
        Row(
            "realm: alpha", "realm: alpha\n    languages: { mode: append }",
            "7: clients.standard.languages.values: is missing; expected language tags"),
        Row(
            "realm: alpha", "realm: alpha\n    languages:\n      mode: ignore\n      values: [fr, 'fr;q=1', '*']",
            "8: clients.standard.languages.mode: expected append or override",
            "9: clients.standard.languages.values[1]: expected a language tag, like fr-CH",
            "9: clients.standard.languages.values[2]: expected a language tag, like fr-CH"),
        Row(
            "realm: alpha", "realm: alpha\n    languages: { values: [] }",
            "7: clients.standard.languages.values: expected at least one value"),
        Row(
            "realm: alpha", "realm: alpha\n    headers: [a]", "7: clients.standard.headers: expected names with values"),
        Row(
            "realm: alpha",
            "realm: alpha\n    cookieName: sso\n    headers:\n      Cookie: a\n      Accept-Language: fr\n      a b: c\n"
                + "      SSO: x\n      iPlanetDirectoryPro: x\n      X-Forwarded-Host: x\n      X-A: [a]\n      x-b: \"a\\u0007\"\n      X-C: ''",
            "9: clients.standard.headers.Cookie: expected a field that the client does not write itself",
            "10: clients.standard.headers.Accept-Language: expected a field that the client does not write itself; "
                + "see languages",
            "11: clients.standard.headers.a b: expected the name of a header field, like X-Tenant",
            "12: clients.standard.headers.SSO: expected a field that the client does not write itself",
            "13: clients.standard.headers.iPlanetDirectoryPro: expected a field that the client does not write itself",
            "14: clients.standard.headers.X-Forwarded-Host: expected a field that the client does not write itself",
            "15: clients.standard.headers.X-A: expected a value of one line",
            "16: clients.standard.headers.x-b: expected a value of one line",
            "17: clients.standard.headers.X-C: expected a value of one line"),
        Row(
            "realm: alpha", "realm: alpha\n    webAuthn: x", "7: clients.standard.webAuthn: expected keys with values"),
        Row(
            "realm: alpha",
            "realm: alpha\n    webAuthn:\n      origins: [https://a.example, 'https://a.example/', http://a.example, "
                + "https://a.example:443, https://a.example]\n      rpIds: [a.example, A.example, 'a.example:1', [x], a.example]\n"
                + "      rpId: x\n      insecureChallenge: 1",
            "8: clients.standard.webAuthn.origins[1]: expected an origin like https://app.example.com, without a path",
            "8: clients.standard.webAuthn.origins[2]: expected an origin like https://app.example.com, without a path",
            "8: clients.standard.webAuthn.origins[3]: expected an origin like https://app.example.com, without a path",
            "8: clients.standard.webAuthn.origins[4]: is listed twice",
            "9: clients.standard.webAuthn.rpIds[1]: expected a host like example.com",
            "9: clients.standard.webAuthn.rpIds[2]: expected a host like example.com",
            "9: clients.standard.webAuthn.rpIds[3]: expected a host like example.com",
            "9: clients.standard.webAuthn.rpIds[4]: is listed twice",
            "10: clients.standard.webAuthn.rpId: unknown key; did you mean 'rpIds'?",
            "11: clients.standard.webAuthn.insecureChallenge: expected true or false"),
        Row(
            "realm: alpha", "realm: alpha\n    headers:\n      X-A: a\n      x-a: b",
            "9: clients.standard.headers.x-a: is there twice"),
    ]
}
