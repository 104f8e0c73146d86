internal import HTTPCore

/// A set of requests that share limits and a queue.
struct RequestPool: Hashable, Sendable {
    let purpose: RequestPurpose
    let isAnonymous: Bool
    /// The API's origin for the purpose `route`; nil for other purposes.
    let origin: String?
}

/// A set of requests that share connections.
struct Destination: Hashable, Sendable {
    let pool: RequestPool
    /// Scheme, host and port, by which exchanges are counted and connections are kept.
    let origin: String
    /// True for https.
    let isSecure: Bool

    /// - Parameters:
    ///   - request: The request.
    ///   - host: The host and port of its URL.
    init(_ request: ClientRequest, host: String) {
        origin = request.url.scheme.rawValue + "://" + host
        isSecure = request.url.scheme == .https
        pool = RequestPool(
            purpose: request.purpose, isAnonymous: request.isAnonymous,
            origin: request.purpose == .route ? origin : nil)
    }

    static func == (left: Destination, right: Destination) -> Bool {
        left.origin == right.origin && left.pool == right.pool
    }

    func hash(into hasher: inout Hasher) {
        // The pool's origin, if it has one, is the same.
        hasher.combine(pool.purpose)
        hasher.combine(pool.isAnonymous)
        hasher.combine(origin)
    }
}
