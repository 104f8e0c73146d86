package import BFF
package import HTTPCore

/// A path below which calls are passed on to an API, with the browser's token attached.
package struct RouteSettings: Sendable, Equatable {
    /// The path that the route begins with, `/api/transactions`; matched on whole segments, the longest one counts.
    ///
    /// Several routes may share a path when their methods differ. `routes[].path`.
    package var path: String
    /// Where calls go, an address without a query that what follows `path` is put behind; `routes[].upstream`.
    package var upstream: WebURL
    /// The methods that are passed on, of GET, HEAD, POST, PUT, PATCH, DELETE (GET brings HEAD); `routes[].methods`.
    package var methods: [HTTPMethod]
    /// What a call needs of the browser's tokens; `routes[].clients` and `routes[].require`.
    package var route: RouteDefinition
    /// The longest request body, in bytes; `routes[].limits.body`, 0 to 64 MiB, default 1 MiB.
    package var bodyLimit = 1024 * 1024
    /// What `bodyLimit` may be.
    package static let bodyRange = 0...64 << 20
    /// The longest a call may take, waiting for the API included; `routes[].limits.time`, 1s to 5m, default 30s.
    package var timeout: Duration = .seconds(30)
    /// What `timeout` may be.
    package static let timeRange: ClosedRange<Duration> = .seconds(1) ... .seconds(300)
    /// Calls that may be under way at a time; `routes[].limits.concurrency`, 1 to 10000, default 64.
    package var concurrency = 64
    /// What `concurrency` may be.
    package static let concurrencyRange = 1...10_000
    /// Sends calls other than GET and HEAD a second time as well, when the API called the token invalid and it was
    /// renewed; `routes[].replay`, default false.
    package var replay = false
    /// Passes on the API's `Cache-Control` instead of `private, no-store`; `routes[].keepsCacheControl`, default false.
    package var keepsCacheControl = false
    /// More header fields of the browser that are passed on, `X-Tenant`; `routes[].headers`, default none.
    ///
    /// Each has one value; none says who calls or belongs to one connection.
    package var headers: [HTTPField.Name] = []
    /// More header fields of the API's answers that are passed on, `X-Total-Count`; `routes[].answerHeaders`, default none.
    ///
    /// None of `ReservedFields.answers`.
    package var answerHeaders: [HTTPField.Name] = []
    /// What the answers say they differ by, besides what the API says, `Cookie`; `routes[].vary`, default none.
    package var vary: [HTTPField.Name] = []
    /// Takes GET and DELETE with a body; `routes[].bodies`, default false.
    ///
    /// An API that does not read such a body takes it for the next request on the connection.
    package var bodies = false
    /// Allows the route to cover a stricter one, see `RouteOverlap`; `routes[].insecureOverlap`, default false.
    package var insecureOverlap = false

    /// A route with the usual limits.
    package init(path: String, upstream: WebURL, methods: [HTTPMethod], route: RouteDefinition) {
        self.path = path
        self.upstream = upstream
        self.methods = methods
        self.route = route
    }

    /// The methods that calls may have: a GET without the body is a GET (RFC 9110 section 9.3.2).
    var servedMethods: [HTTPMethod] {
        methods.flatMap { $0 == .get && !methods.contains(.head) ? [.get, .head] : [$0] }
    }
}
