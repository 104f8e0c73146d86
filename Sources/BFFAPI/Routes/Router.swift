internal import HTTPServer
internal import HTTPTypes

/// Finds the operation of a request.
struct Router: Sendable {
    /// What the path means.
    enum Match: Sendable {
        /// An operation, with the instance and the flow that the path names; empty where it names none.
        case operation(Route, instance: String, flow: String)
        /// A path that has operations, but none for the method.
        case otherMethods([Route])
    }

    private let routes: [Route]

    init(basePath: String) {
        routes = Route.all(under: basePath)
    }

    /// Finds what a request asks for.
    ///
    /// - Throws: `.malformed`, `.notFound`.
    func match(_ request: ServerRequest) throws(Problem) -> Match {
        let segments = try RequestPath(request.path).segments
        // A GET without the body is a GET (RFC 9110 section 9.3.2).
        let method = request.method == .head ? .get : request.method
        var others: [Route] = []
        for route in routes where Self.fits(route, segments) {
            guard route.method == method else {
                others.append(route)
                continue
            }
            return .operation(
                route, instance: Self.value(.instance, route, segments), flow: Self.value(.flow, route, segments))
        }
        guard !others.isEmpty else { throw Problem(.notFound) }
        return .otherMethods(others)
    }

    /// The methods of a path, for `Allow` and preflights.
    static func methods(_ routes: [Route]) -> [HTTPRequest.Method] {
        routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    }

    private static func fits(_ route: Route, _ segments: [String]) -> Bool {
        guard route.parts.count == segments.count else { return false }
        for index in segments.indices {
            switch route.parts[index] {
            case .word(let word): if word != segments[index] { return false }
            case .instance, .flow: if segments[index].isEmpty { return false }
            }
        }
        return true
    }

    private static func value(_ part: Route.Part, _ route: Route, _ segments: [String]) -> String {
        route.parts.firstIndex(of: part).map { segments[$0] } ?? ""
    }
}
