package import BFF
package import HTTPCore

/// A path below which calls are passed on to an API, with the browser's token attached.
package struct RouteSettings: Sendable, Equatable {
    /// The path prefix of the route, `/api/transactions`; matched on whole segments, and the longest match wins.
    ///
    /// Several routes may share a path when their methods differ. `routes[].path`.
    package var path: String
    /// The address of the API, without a query, to which the rest of the path after `path` is appended;
    /// `routes[].upstream`.
    package var upstream: WebURL
    /// The methods that are passed on, of GET, HEAD, POST, PUT, PATCH, DELETE (GET brings HEAD); `routes[].methods`.
    package var methods: [HTTPMethod]
    /// The demands on the browser's tokens; `routes[].clients` and `routes[].require`.
    package var route: RouteDefinition
    /// The longest request body, in bytes; `routes[].limits.body`, 0 to 64 MiB, default 1 MiB.
    package var bodyLimit = 1024 * 1024
    /// The range of `bodyLimit`.
    package static let bodyRange = 0...64 << 20
    /// The longest a call may take, waiting for the API included; `routes[].limits.time`, 1s to 5m, default 30s.
    package var timeout: Duration = .seconds(30)
    /// The range of `timeout`.
    package static let timeRange: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// The most calls in flight; `routes[].limits.concurrency`, 1 to 10000, default 64.
    package var concurrency = 64
    /// The range of `concurrency`.
    package static let concurrencyRange = 1...10_000
    /// True to retry calls other than GET and HEAD too, when the API called the token invalid and it was renewed;
    /// `routes[].replay`, default false.
    package var replay = false
    /// True to pass on the API's `Cache-Control` instead of `private, no-store`; `routes[].keepsCacheControl`, default
    /// false.
    package var keepsCacheControl = false
    /// Further header fields of the browser that are passed on, `X-Tenant`; `routes[].headers`, default none.
    ///
    /// Each may occur once; none may identify the caller or be hop-by-hop.
    package var headers: [HTTPField.Name] = []
    /// Further header fields of the API's answers that are passed on, `X-Total-Count`; `routes[].answerHeaders`,
    /// default none.
    ///
    /// None of `ReservedFields.answers` is allowed.
    package var answerHeaders: [HTTPField.Name] = []
    /// Fields added to `Vary` of the answers, besides those of the API, `Cookie`; `routes[].vary`, default none.
    package var vary: [HTTPField.Name] = []
    /// True to accept GET and DELETE with a body; `routes[].bodies`, default false.
    ///
    /// An API that does not read such a body takes it for the next request on the connection.
    package var bodies = false
    /// True to let the route cover a stricter one, see `RouteOverlap`; `routes[].insecureOverlap`, default false.
    package var insecureOverlap = false

    /// A route with the default limits.
    package init(path: String, upstream: WebURL, methods: [HTTPMethod], route: RouteDefinition) {
        self.path = path
        self.upstream = upstream
        self.methods = methods
        self.route = route
    }

    /// The methods of calls that are accepted; HEAD with GET, because a HEAD is a GET without the body (RFC 9110
    /// section 9.3.2).
    var servedMethods: [HTTPMethod] {
        methods.flatMap { $0 == .get && !methods.contains(.head) ? [.get, .head] : [$0] }
    }
}
