internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// A realm of OpenAM 16: its responses as observed, word for word where a client could compare the words.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMRealm: RealmEndpoints {
    private let services: OAuthServices
    private let authenticate: OpenAMAuthenticate

    init(_ services: OAuthServices, journal: Journal) {
        self.services = services
        authenticate = OpenAMAuthenticate(services, journal: journal)
    }

    /// The issuer: the root realm is `…/oauth2` under each of its addresses; any other realm is spelt in full.
    func issuer(_ base: String) -> String {
        let realm = services.settings.realm == "/" ? [] : services.settings.realmPath
        return ([base, "am", "oauth2"] + realm).joined(separator: "/")
    }

    func json(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse {
        guard realm.realm == services.settings.realmName else {
            return .openAMError(404, "Realm &quot;\(realm.realm)&quot; not found")
        }
        switch realm.rest.first {
        case "authenticate" where realm.rest.count == 1: return authenticate.answer(call)
        case "sessions" where realm.rest.count <= 2:
            return OpenAMSessions(services: services).answer(call, named: realm.rest.dropFirst().first)
        case "serverinfo" where realm.rest.last == "*": return ServerInfo(settings: services.settings).answer(call)
        default: return .openAMError(404, "Resource &#39;\(realm.rest.joined(separator: "/"))&#39; not found")
        }
    }

    func oauth(_ call: SimulatedCall, _ realm: SimulatedRealm) -> ServerResponse {
        guard realm.realm == services.settings.realmName else {
            return .openAMError(
                404, "No mapping organization found for organization identifier: \(realm.realm)")
        }
        let issuer = issuer(call.base)
        switch (realm.rest, call.method) {
        case ([".well-known", "openid-configuration"], .get):
            return .json(200, OpenAMDiscovery(issuer: issuer, settings: services.settings).json)
        case (["connect", "jwk_uri"], .get): return .json(200, services.keys.publishedByOpenAM.json)
        case (["authorize"], .get), (["authorize"], .post):
            return OpenAMAuthorize(services: services, issuer: issuer).answer(call)
        case (["access_token"], .post): return OpenAMTokenEndpoint(services: services, issuer: issuer).answer(call)
        case (["userinfo"], .get), (["userinfo"], .post): return OpenAMUserinfo(services: services).answer(call)
        case (["introspect"], .get), (["introspect"], .post):
            return OpenAMIntrospect(services: services).answer(call)
        case (["token", "revoke"], .post): return OpenAMRevoke(services: services).answer(call)
        case (["connect", "endSession"], .get): return OpenAMEndSession(services: services).answer(call)
        default: return .oauthError(404, "not_found", "Resource not found")
        }
    }
}

extension ServerResponse {
    /// An error of the JSON endpoints, which never has details.
    static func openAMError(_ status: Int, _ message: String, _ headers: [ResponseHeader] = []) -> ServerResponse {
        var response = ServerResponse.amError(status, message)
        response.headers += headers
        return response
    }

    /// The error page of the OAuth endpoints for a wrong client or redirect URI.
    static func openAMErrorPage(_ error: OAuthError) -> ServerResponse {
        openAMPage(
            400, "OAuth2 Error Page",
            """
            pageData = {
                realm : "\\/",
                error: {
                    description: "\(error.description)",
                    message: "\(error.code)"
                }
            }
            """)
    }

    /// A page whose content a script fills in.
    static func openAMPage(_ status: Int, _ title: String, _ script: String) -> ServerResponse {
        var response = ServerResponse.html(status, title)
        let page = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
            <body style="display:none"><div id="wrapper">Loading...</div><script type="text/javascript">
            \(script)
            </script></body></html>
            """
        response.body = .bytes(Array(page.utf8))
        return response
    }
}
