package import HTTPCore

/// The settings of the browser API: its public address, its allowed callers and its limits.
///
/// Plain values; `problems()` finds their problems, and `BrowserAPI` cannot be made from settings with problems.
package struct APISettings: Sendable {
    /// The address that browsers use, without path and query; `server.publicUrl`.
    package var publicURL: WebURL
    /// True to let `publicURL` be http on this machine, with a cookie that is not `Secure`; `server.insecureHttp`,
    /// default false.
    package var insecureHTTP = false
    /// True to have browsers use TLS for every name below that of `publicURL` too; `server.hsts.includeSubDomains`,
    /// default false.
    package var hstsIncludesSubdomains = false
    /// The path prefix of all operations; `server.basePath`, default `/bff`.
    package var basePath = "/bff"
    /// The name of the header field that every call carries, `X-…`; `server.csrfHeader`, default `X-CSRF`.
    package var csrfHeader = "X-CSRF"
    /// The value of that field; `server.csrfValue`, default `1`.
    package var csrfValue = "1"
    /// Other origins whose pages may call, exactly as browsers send them; `server.corsOrigins`, default none.
    package var corsOrigins: [String] = []
    /// Further hosts of this server, with their port where it is not the scheme's default; `server.hosts`, default
    /// none.
    package var hosts: [String] = []
    /// The proxies whose `X-Forwarded-For` and `X-Request-Id` are believed; `server.trustedPeers`, default none.
    package var trustedPeers: [AddressRange] = []
    /// The longest body of `next`, in bytes; `server.limits.answers`, 1 KiB to 4 MiB, default 256 KiB.
    package var answerLimit = 256 * 1024
    /// The range of `answerLimit`.
    package static let answerRange = 1 << 10...4 << 20
    /// The longest body of every other operation, in bytes; `server.limits.body`, 256 to 1 MiB, default 16 KiB.
    package var bodyLimit = 16 * 1024
    /// The range of `bodyLimit`.
    package static let bodyRange = 256...1 << 20
    /// The rate of operations that reach a provider, per client address, nil for no limit; `server.rates.peer`, default
    /// 1200 at once and 1200 a minute.
    package var peerRate: RateLimit? = RateLimit(burst: 1200, perMinute: 1200)
    /// Like `peerRate`, per browser session; `server.rates.session`, default 60 at once and 120 a minute.
    package var sessionRate: RateLimit? = RateLimit(burst: 60, perMinute: 120)
    /// Like `peerRate`, per flow; `server.rates.flow`, default 30 at once and 60 a minute.
    package var flowRate: RateLimit? = RateLimit(burst: 30, perMinute: 60)
    /// The rate of sessions that begin without a sign-in, per client address, nil for no limit;
    /// `server.rates.anonymous`, default 600 at once and 600 a minute.
    package var newSessionRate: RateLimit? = RateLimit(burst: 600, perMinute: 600)
    /// The rate of calls to APIs per client address, nil for no limit; `server.rates.api.peer`, default 6000 at once
    /// and 12000 a minute.
    package var callPeerRate: RateLimit? = RateLimit(burst: 6000, perMinute: 12_000)
    /// Like `callPeerRate`, per browser session; `server.rates.api.session`, default 600 at once and 1200 a minute.
    package var callSessionRate: RateLimit? = RateLimit(burst: 600, perMinute: 1200)
    /// The limits of one caller's calls and bytes in flight; keys of `server.limits`.
    package var callerLimits = CallerLimits()
    /// The rate of answers with one user name, from all clients together, nil for no limit; `server.rates.account`,
    /// default 20 at once and 10 a minute.
    package var accountRate: RateLimit? = RateLimit(burst: 20, perMinute: 10)

    /// The clients below whose path the server also speaks the protocols of Ping's clients for JavaScript;
    /// `server.pingCompatibility.clients`, default none.
    package var pingClients: [String] = []

    /// The documents about passkeys; `server.webAuthn` and `server.passkeyEndpoints`.
    package var passkeys = PasskeySettings()

    /// The page at `/`; nil, unless a program sets one, for no page.
    package var frontPage: FrontPage?

    /// The files of the app, at every path that nothing else has; `server.files`, default none.
    package var files: StaticFiles?
    /// The sources that the policy of `files` allows besides the own origin; keys of `server.contentSecurityPolicy`.
    package var pageSources = PageSources()

    /// Makes the default settings of a public address.
    ///
    /// - Parameter publicURL: The address that browsers use.
    package init(publicURL: WebURL) {
        self.publicURL = publicURL
    }

    /// The products whose clients for JavaScript the server can serve, see `pingClients`.
    package static let pingProducts = ["journey", "davinci"]

    /// The name of the session cookie.
    ///
    /// Browsers accept a cookie with this prefix only from an answer over TLS, for the whole host, and out of reach of
    /// scripts. Without TLS, which is for development, the port keeps two servers of one machine apart.
    package var cookieName: String {
        publicURL.scheme == .https ? "__Host-Http-cloakroom" : "cloakroom-\(publicURL.port)"
    }

    /// The name of the session cookie before the first sign-in.
    package var startCookieName: String { cookieName + Self.startCookieSuffix }
    static let startCookieSuffix = "-start"

    /// The name of the cookie that a bound session has beside its own; browsers bind no cookie with the prefix of
    /// `cookieName`.
    package static let deviceCookieName = "__Host-cloakroom-device"

    /// The name of the cookie that recognises a browser returning from another site.
    package var returnCookieName: String { cookieName + "-return" }
}
