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
            "realm: alpha", "realm: alpha\n    headers:\n      X-A: a\n      x-a: b",
            "9: clients.standard.headers.x-a: is there twice"),
    ]
}
