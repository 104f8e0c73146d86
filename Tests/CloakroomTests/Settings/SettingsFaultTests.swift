import Foundation
import JOSE
import ProductKit
import SettingsKit
import Testing

@testable import Cloakroom

@Suite("A faulty settings file")
struct SettingsFaultTests {
    typealias Row = SettingsFault

    static let server = "server: { publicUrl: https://app.example.com, trustedPeers: [] }"
    private static let secret = "clientSecret: ${SECRET}"

    private static let typographic = "has typographic quotes, which YAML reads as part of the value; write ' or \""

    /// Faults of the file as a whole and of any value.
    static let forms = [
        Row(good, "", "1: expected settings: at least server.publicUrl and one client"),
        Row(good, "- a\n- b", "1: expected settings: at least server.publicUrl and one client"),
        Row(good, "a: [1", "2: not YAML: did not find expected ',' or ']'"),
        Row(good, "a: b: c", "1: not YAML: mapping values are not allowed in this context"),
        Row("realm: alpha", "realm: alpha\n    realm: beta", "6: realm: is there twice"),
        Row("realm: alpha", "realm:", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: ~", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: \"a\\u0007\"", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: [alpha]", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: {a: b}", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: ${REALM}", "6: clients.standard.realm: the environment variable REALM is not set"),
        Row("realm: alpha", "realm: ${SECRET", "6: clients.standard.realm: expected a closing brace after ${"),
        Row("realm: alpha", "realm: ${a b}", "6: clients.standard.realm: expected a variable's name in ${}"),
        Row("realm: alpha", "realm: ${}", "6: clients.standard.realm: expected a variable's name in ${}"),
        Row("    realm: alpha\n", "", "3: clients.standard.realm: is missing; expected the name of a realm"),
        Row("[Login]", "[Login, {a: b}]", "7: clients.standard.journeys[1]: expected the name of a journey"),
        Row(
            "[Login]", "Login, Registration",
            "7: clients.standard.journeys: expected the name of a journey; several are a list: [a, b]"),
        Row(
            "[Login]", "'Login,Registration'",
            "7: clients.standard.journeys: expected the name of a journey; several are a list: [a, b]"),
        Row("realm: alpha", "realm: 'alpha '", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: '/ alpha'", "6: clients.standard.realm: expected the name of a realm"),
        Row("realm: alpha", "realm: “alpha”", "6: clients.standard.realm: \(typographic)"),
        Row("clientId: bff", "clientId: „bff“", "9: clients.standard.oidc.clientId: \(typographic)"),
        Row("[Login]", "[‘Login’]", "7: clients.standard.journeys[0]: \(typographic)"),
        Row("realm: alpha", "realm: \"alpha", "6: not YAML: a quote is opened here and not closed in this line"),
        Row("    realm: alpha", "\trealm: alpha", "6: not YAML: a tab in the indentation; YAML takes blanks only"),
        Row("[Login]", "[Login, Login]", "7: clients.standard.journeys[1]: is listed twice"),
        Row(
            "[openid]", "\n      - openid\n      - a b",
            "13: clients.standard.oidc.scopes[1]: expected a scope without spaces"),
        Row(
            server, "server: 8080", "1: server: expected keys with values",
            "1: server.publicUrl: is missing; expected an address like https://app.example.com"),
        Row(server, server + "\n? [a]\n: b", "2: expected a plain word as key"),
    ]

    /// What the YAML module refuses, in the words of a settings file.
    static let documents = [
        Row(
            "realm: alpha", "realm: alpha\n    'realm': b\n    type: x", "4: type: is there twice",
            "6: realm: is there twice"),
        Row("realm: alpha", "realm: alpha\n    '': a\n    '': b", "7: a key is there twice"),
        Row("realm: alpha", "realm: alpha\n    [a]: a\n    [a]: b", "7: a key is there twice"),
        Row("realm: alpha", "realm: *alpha", "6: not YAML: found undefined alias"),
        Row("realm: alpha", "realm: &alpha [*alpha]", "6: an anchor contains itself"),
        Row("realm: alpha", "realm: !alpha", "6: unknown tag; a text that begins with ! is written in quotes"),
        Row("realm: alpha", "realm: !!int alpha", "6: the tag does not fit the value"),
        Row("realm: alpha", "realm: 'al\0pha'", "6: not YAML: control characters are not allowed"),
        Row("realm: alpha", "realm: NULL", "6: clients.standard.realm: expected the name of a realm"),
        Row("clients:", "---\nclients:", "2: expected one document, not several"),
        Row("[Login]", String(repeating: "[", count: 65), "7: nested deeper than 64 levels, aliases followed"),
        Row("[Login]", "[" + String(repeating: "a,", count: 20_000), "7: more than 20000 values, aliases followed"),
        Row(good, "# only a comment", "1: expected settings: at least server.publicUrl and one client"),
    ]

    static let unknown = [
        Row(
            "realm:", "Realm:", "3: clients.standard.realm: is missing; expected the name of a realm",
            "6: clients.standard.Realm: unknown key; did you mean 'realm'?"),
        Row(
            "realm: alpha", "realm: alpha\n    jouneys: [X]",
            "7: clients.standard.jouneys: unknown key; did you mean 'journeys'?"),
        Row("realm: alpha", "realm: alpha\n    zebra: 1", "7: clients.standard.zebra: unknown key"),
        Row(server, server + "\nsesion: {}", "2: sesion: unknown key; did you mean 'session'?"),
        Row(server, server + "\nlog: { lvel: info }", "2: log.lvel: unknown key; did you mean 'level'?"),
        Row(
            server, server + "\n<<: {}",
            "2: <<: merge keys are not read; write the keys out, or let an alias stand for a whole value"),
        Row(
            "realm: alpha", "<<: { realm: alpha }",
            "6: clients.standard.<<: merge keys are not read; write the keys out, or let an alias stand for a whole value"
        ),
        Row(
            server, server + "\nroutes: [{ <<: {} }]",
            "2: routes[0].<<: merge keys are not read; write the keys out, or let an alias stand for a whole value"),
        Row(
            server, server + "\n'<<': {}", "2: <<: unknown key; the sections are \(sections)"),
    ]

    private static let sections =
        "server, session, outbound, storages, clients, log, requirements, routes, issuers, authz"

    static let later = [
        Row(server, server + "\nsession: { localCache: 1s }", "2: session.localCache: is not supported"),
        Row(
            "type: journey", "type: oidc",
            "4: clients.standard.type: is not supported; this version has journey and davinci"),
        Row(
            "realm: alpha", "realm: alpha\n    prompts: [a]",
            "7: clients.standard.prompts: is for OpenID providers; a journey asks what its pages ask, and forceAuth of a "
                + "start runs it anew"),
        Row(
            secret, "clientSecret: x\n      clientAuthentication: private_key_jwt",
            "11: clients.standard.oidc.clientAuthentication: private_key_jwt is not supported"),
        Row(
            server, server + "\nstorages: { a: { cacheStrategy: cacheOnFailure } }",
            "2: storages.a: no client uses this storage"),
    ]

    private static let host = "expected a host like accounts.example.com or accounts.example.com:8443"

    static let clients = [
        Row(
            good, "server: { publicUrl: https://app.example.com, trustedPeers: [] }",
            "1: clients: expected at least one client, or issuers alone"),
        Row(
            good, "server: { publicUrl: https://app.example.com, trustedPeers: [] }\nclients: {}",
            "2: clients: expected at least one client, or issuers alone"),
        Row(
            good, "server: { publicUrl: https://app.example.com, trustedPeers: [] }\nclients: [a]",
            "2: clients: expected names with settings"),
        Row(
            "realm: alpha", "realm: alpha\n    linkHosts: [https://a.example]",
            "7: clients.standard.linkHosts[0]: \(host)"),
        Row("realm: alpha", "realm: alpha\n    linkHosts: [a.example/]", "7: clients.standard.linkHosts[0]: \(host)"),
        Row("realm: alpha", "realm: alpha\n    linkHosts: [u@a.example]", "7: clients.standard.linkHosts[0]: \(host)"),
        Row("realm: alpha", "realm: alpha\n    linkHosts: [a, a]", "7: clients.standard.linkHosts[1]: is listed twice"),
        Row("realm: alpha", "realm: alpha\n    linkHosts: { a: b }", "7: clients.standard.linkHosts: expected a list"),
        Row("  standard:", "  a b:", "3: clients: expected names of 1 to 32 letters, digits, '_' or '-'"),
        Row("    type: journey\n", "", "3: clients.standard.type: is missing; expected journey or davinci"),
        Row(
            "https://tenant.example.com/am", "http://tenant.example.com/am",
            "5: clients.standard.serverUrl: expected https, or insecureHttp: true for an unprotected network"),
        Row(
            "https://tenant.example.com/am", "https://tenant.example.com/am?a=b",
            "5: clients.standard.serverUrl: expected an address like https://tenant.example.com/am"),
        Row(
            "https://tenant.example.com/am", "https://user@tenant.example.com/am",
            "5: clients.standard.serverUrl: expected an address like https://tenant.example.com/am"),
        Row("realm: alpha", "realm: a/..", "6: clients.standard.realm: expected the name of a realm"),
        Row(
            "realm: alpha", "realm: alpha\n    cookieName: Authorization",
            "7: clients.standard.cookieName: expected a name that no header field has"),
        Row(
            "realm: alpha", "realm: alpha\n    cookieName: a b",
            "7: clients.standard.cookieName: expected the name of a cookie"),
        Row(
            "realm: alpha", "realm: alpha\n    sessionUpgrade: paramter",
            "7: clients.standard.sessionUpgrade: expected header or parameter; did you mean 'parameter'?"),
        Row(
            "realm: alpha", "realm: alpha\n    sessionUpgrade: query",
            "7: clients.standard.sessionUpgrade: expected header or parameter"),
        Row(
            "realm: alpha",
            "realm: alpha\n    forward:\n      clientAddress: xRealIp\n      userAgent: [browser]\n      cookies: all",
            "8: clients.standard.forward.clientAddress: expected none or xForwardedFor",
            "9: clients.standard.forward.userAgent: expected own or browser",
            "10: clients.standard.forward.cookies: unknown key"),
        Row("realm: alpha", "realm: alpha\n    forward: all", "7: clients.standard.forward: expected keys with values"),
        Row(
            "realm: alpha", "realm: alpha\n    requestedWith: XMLHttpRequest",
            "7: clients.standard.requestedWith: expected ping-sdk or forgerock-sdk"),
        Row(
            "realm: alpha", "realm: alpha\n    platform: a b",
            "7: clients.standard.platform: expected a platform without spaces"),
        Row(
            "realm: alpha", "realm: alpha\n    platform: [web]",
            "7: clients.standard.platform: expected a platform without spaces"),
        Row(
            "realm: alpha", "realm: alpha\n    expose: [contract, failureUrl, contract, '']",
            "7: clients.standard.expose[1]: expected the name of a member of detail other than failureUrl",
            "7: clients.standard.expose[2]: is listed twice",
            "7: clients.standard.expose[3]: expected the name of a member of detail other than failureUrl"),
        Row("realm: alpha", "realm: alpha\n    expose: { a: b }", "7: clients.standard.expose: expected a list"),
        Row(
            "realm: alpha", "realm: alpha\n    timeout: 61s",
            "7: clients.standard.timeout: expected no more than server.limits.requestTime, 1m"),
        Row(
            "realm: alpha", "realm: alpha\n    parameters: [goto, authIndexType, State, ok]",
            "7: clients.standard.parameters[0]: expected a name that the client does not set itself",
            "7: clients.standard.parameters[1]: expected a name that the client does not set itself",
            "7: clients.standard.parameters[2]: expected a name that the client does not set itself"),
        Row(
            "realm: alpha", "realm: alpha\n    cookieName: iPlanet\n    parameters: [iplanet]",
            "8: clients.standard.parameters[0]: expected a name that the client does not set itself"),
        Row(
            "realm: alpha", "realm: alpha\n    limits: { idle: 1s }",
            "7: clients.standard.limits.idle: expected a duration from 10s to 1d"),
        Row(
            "realm: alpha", "realm: alpha\n    keepProviderSession: 5m",
            "7: clients.standard.keepProviderSession: expected true or false"),
        Row(
            "realm: alpha", "realm: alpha\n    tokenStorage: a/b",
            "7: clients.standard.tokenStorage: expected 1 to 32 letters, digits, '_' or '-'"),
        Row("[Login]", "[]", "7: clients.standard.journeys: expected the name of a journey"),
        Row(
            "    journeys: [Login]\n", "",
            "3: clients.standard.journeys: is missing; expected the names of journeys, the default first"),
        Row(server, server + "\nstorages: { unused: {} }", "2: storages.unused: no client uses this storage"),
    ]

    private static let issuers = "issuers: [{ issuer: https://op.example.com, profile: jwt, audiences: api }]"

    /// A resource server without clients, whom somebody must be able to ask.
    static let resourceServers = [
        Row(good, server + "\n" + issuers, "2: issuers: no gateway can ask /authz; set server.admin, or authz.peers"),
        Row(good, server + "\nauthz: { peers: [10.0.0.0/8] }\n" + issuers),
        Row(
            good,
            "server: { publicUrl: https://app.example.com, trustedPeers: [], admin: '127.0.0.1:8081' }\n" + issuers),
        Row(server, server + "\n" + issuers),
    ]

    static let registrations = [
        Row("      clientId: bff\n", "", "8: clients.standard.oidc.clientId: is missing; expected the client id"),
        Row(
            secret, "clientAuthentication: client_secret_post",
            "8: clients.standard.oidc.clientSecretFile: is missing; a client without a secret needs clientAuthentication: none"
        ),
        Row(
            secret, "clientAuthentication: none\n      clientSecret: x",
            "10: clients.standard.oidc.clientAuthentication: expected client_secret_basic or client_secret_post, because there is a secret"
        ),
        Row(
            secret, "clientAuthentication: basic\n      clientSecret: x",
            "10: clients.standard.oidc.clientAuthentication: expected client_secret_basic, client_secret_basic_raw, client_secret_post, none or private_key_jwt"
        ),
        Row(
            secret, "clientSecret: x\n      clientSecretFile: y",
            "11: clients.standard.oidc.clientSecretFile: expected either clientSecret or clientSecretFile"),
        Row(secret, "clientSecret: ''", "10: clients.standard.oidc.clientSecret: expected a secret of one line"),
        Row(
            "[openid]", "openid profile",
            "11: clients.standard.oidc.scopes: expected a scope without spaces; several are a list: [a, b]"),
        Row("[openid]", "[profile]", "11: clients.standard.oidc.scopes: expected openid among the scopes"),
        Row(
            "      scopes: [openid]\n", "",
            "8: clients.standard.oidc.scopes: is missing; expected a list of scopes with openid"),
        Row(
            "https://app.example.com/code", "/code",
            "12: clients.standard.oidc.redirectUri: expected the redirect URI of the registration, with https"),
        Row(
            "https://app.example.com/code", "http://app.example.com/code",
            "12: clients.standard.oidc.redirectUri: expected the redirect URI of the registration, with https"),
        Row(
            "clientId: bff", "clientId: bff\n      discovery: http://x.example/.well-known/openid-configuration",
            "10: clients.standard.oidc.discovery: expected the address of the discovery document, with https"),
        Row(
            "clientId: bff", "clientId: bff\n      endpointOrigins: [https://x.example/]",
            "10: clients.standard.oidc.endpointOrigins[0]: expected an origin like https://login.example.com"),
        Row(
            "clientId: bff", "clientId: bff\n      parameters:\n        STATE: x\n        ok: y\n        prompt: login",
            "11: clients.standard.oidc.parameters.STATE: expected a parameter that the client does not set itself",
            "13: clients.standard.oidc.parameters.prompt: expected a parameter that the client does not set itself"),
        Row(
            "clientId: bff", "clientId: bff\n      parameters: { state: x, max_age: y, [a]: z }",
            "10: clients.standard.oidc.parameters.state: expected a parameter that the client does not set itself",
            "10: clients.standard.oidc.parameters.max_age: expected a parameter that the client does not set itself",
            "10: clients.standard.oidc.parameters: expected names with texts"),
        Row(
            "clientId: bff", "clientId: bff\n      parameters: { a: [b], c: \"\\n\" }",
            "10: clients.standard.oidc.parameters.a: expected a text of up to 1024 bytes",
            "10: clients.standard.oidc.parameters.c: expected a text of up to 1024 bytes"),
        Row(
            "clientId: bff", "clientId: bff\n      parameters: dark",
            "10: clients.standard.oidc.parameters: expected names with texts"),
        Row(
            "clientId: bff", "clientId: bff\n      algorithms: [none]",
            "10: clients.standard.oidc.algorithms[0]: expected one of \(algorithms)"),
        Row(
            "clientId: bff", "clientId: bff\n      algorithms: [ES256, HS256]",
            "10: clients.standard.oidc.algorithms: HS256 needs a client secret of at least 32 bytes"),
        Row(
            secret, "clientSecret: 0123456789012345678901234567890123456789\n      algorithms: [HS256, HS384]",
            "11: clients.standard.oidc.algorithms: HS384 needs a client secret of at least 48 bytes"),
        Row(
            secret, "clientAuthentication: none\n      algorithms: HS256",
            "11: clients.standard.oidc.algorithms: HS256 needs a client secret of at least 32 bytes"),
        Row(secret, "clientSecret: 0123456789012345678901234567890123456789\n      algorithms: [HS256]"),
        Row(
            "clientId: bff", "clientId: b:ff\n      clientAuthentication: client_secret_basic_raw",
            "10: clients.standard.oidc.clientAuthentication: expected client_secret_basic or client_secret_post, because clientId has a colon"
        ),
        Row(
            "clientId: bff", "clientId: bff\n      revocationEndpoint: http://x.example/r",
            "10: clients.standard.oidc.revocationEndpoint: expected the address of the revocation endpoint, with https"),
        Row(
            "clientId: bff", "clientId: bff\n      introspectionEndpoint: /introspect",
            "10: clients.standard.oidc.introspectionEndpoint: expected the address of the introspection endpoint, with https"
        ),
        Row(
            "clientId: bff", "clientId: bff\n      endSessionEndpoint: x",
            "10: clients.standard.oidc.endSessionEndpoint: expected the address of the end session endpoint, with https"
        ),
        Row(
            "clientId: bff", "clientId: bff\n      leeway: 1h",
            "10: clients.standard.oidc.leeway: expected a duration from 0s to 5m"),
    ]

    static let outbound =
        resourceServers + [
            Row(
                server, server + "\noutbound: { caFile: missing.pem }",
                "2: outbound.caFile: the file does not exist: /nowhere/missing.pem"),
            Row(
                server, server + "\noutbound: { caFile: /dev/null }",
                "2: outbound.caFile: the file holds no certificate in PEM"),
            Row(
                server, server + "\noutbound: { caFile: / }", "2: outbound.caFile: expected a file, not a directory: /"),
            Row(
                server, server + "\noutbound: { proxy: proxy }",
                "2: outbound.proxy: expected an address like http://proxy.example.com:3128"),
            Row(
                server, server + "\noutbound: { connections: 0 }",
                "2: outbound.connections: expected a number from 1 to 10000"),
            Row(
                server, server + "\nlog: { level: loud, format: xml, audit: some }",
                "2: log.level: expected trace, debug, info, notice, warning, error or critical",
                "2: log.format: expected text or json", "2: log.audit: expected true or false"),
        ]

    private static let algorithms =
        (JWSAlgorithm.allCases.map(\.rawValue) + MACAlgorithm.allCases.map(\.rawValue)).joined(separator: ", ")
    private static let good = SettingsText.good
    static let key = "LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM"

    @Test(
        "is told what is wrong, where, and nothing else",
        arguments: forms + documents + unknown + later + serverRows + sessions + clients + journeyFields
            + registrations + outbound)
    func table(row: Row) {
        #expect(SettingsText.good.contains(row.old))
        #expect(Set(SettingsText.problems(SettingsText.replacing(row.old, row.new))) == Set(row.problems))
    }

    @Test func `hears of all its problems at once, in the order of lines`() {
        let text = """
            server:
              publicUrl: http://app.example.com
              listen: here
            session: { idle: 1s, store: redis://localhost }
            clients:
              a: { type: journey, realm: x }
              b: { type: saml }
            log: { level: loud }
            """
        let problems = SettingsText.problems(text)
        let lines = problems.compactMap { Int($0.prefix(while: \.isNumber)) }
        #expect(lines.count == problems.count && lines == lines.sorted() && Set(lines) == [2, 3, 4, 6, 7, 8])
        #expect(problems.count == 12)
    }

    @Test func `never repeats a value, which may be secret`() {
        let canary = "canary-5f0c"
        for row in Self.forms + Self.documents + Self.serverRows + Self.sessions + Self.clients + Self.journeyFields
            + Self.registrations
        {
            let text =
                SettingsText.replacing("alpha", canary).replacingOccurrences(of: "bff", with: canary)
                .replacingOccurrences(of: "${SECRET}", with: canary + "\u{7}") + "\nlog: { level: \(canary) }"
            #expect(
                !SettingsText.problems(text.replacingOccurrences(of: row.old, with: row.new)).joined().contains(canary))
        }
    }
}
