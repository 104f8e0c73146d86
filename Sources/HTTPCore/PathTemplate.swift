extension WebURL {
    /// The path for a log line: known names of provider endpoints are kept, any other segment becomes `{}`.
    ///
    /// A path can carry a secret of its flow, such as the id of a challenge, and providers choose the form of their
    /// ids: so a segment is written only if it is in a closed list.
    package var pathTemplate: String {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
            // rule: a log line has the names of endpoints alone, never an id of a path | true
            let isName = segment.isEmpty || endpointNames.contains(String(Substring(segment)))
            return isName ? String(Substring(segment)) : "{}"
        }
        return segments.joined(separator: "/")
    }
}

/// The path segments of AM, PingOne and OpenID providers that are the same for all users.
private let endpointNames: Set<String> = [
    ".well-known", "access_token", "am", "as", "auth", "authenticate", "authorize", "challenge", "connect",
    "connections", "credentials", "customHTMLTemplate", "davinci", "endSession", "flows", "idpSignoff", "introspect",
    "json",
    "jwk_uri", "jwks", "logout", "oauth2", "openid-configuration", "par", "policy", "realms", "revoke", "root",
    "serverinfo",
    "sessions", "signoff", "start", "status", "token", "user", "userinfo",
]
