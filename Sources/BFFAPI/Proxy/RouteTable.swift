internal import BFF
internal import Basics
internal import HTTPCore

/// Finds the route of a path: the longest prefix wins, and the method decides between routes with one prefix.
struct RouteTable: Sendable {
    /// The result of a match.
    enum Match: Sendable {
        /// A route takes the call.
        case route(ProxyRoute, RouteDefinition)
        /// A route takes the call, but a lenient API may read the path as that of a stricter route.
        case misspelt
        /// Routes have the path, but not the method; `headers` are the fields that they pass on besides the usual ones.
        case otherMethods([HTTPMethod], headers: [HTTPField.Name])
        /// No route has the path.
        case nothing
    }

    private let routes: [ProxyRoute]

    /// - Parameters:
    ///   - settings: The routes.
    ///   - former: The table of the previous settings, whose calls in flight still count; nil at the start.
    init(_ settings: [RouteSettings], after former: RouteTable? = nil) {
        routes = settings.map { route in
            let before = former?.routes.first {
                $0.settings.path.isSameText(as: route.path) && $0.settings.methods == route.methods
            }
            return ProxyRoute(route, slots: before?.slots ?? CallSlots())
        }.sorted { $0.segments.count > $1.segments.count }
    }

    func match(_ path: RequestPath, _ method: HTTPMethod) -> Match {
        var others: [HTTPMethod] = []
        var headers: [HTTPField.Name] = []
        var length: Int?
        for route in routes {
            if let length, route.segments.count < length { break }
            guard route.covers(path) else { continue }
            length = route.segments.count
            if let definition = route.definition(method) {
                return isMisspelt(path, route, method) ? .misspelt : .route(route, definition)
            }
            others += route.methods
            headers += route.settings.headers.filter { !headers.contains($0) }
        }
        return others.isEmpty ? .nothing : .otherMethods(others, headers: headers)
    }

    /// True if the path folds to the path of a stricter route.
    ///
    /// Byte by byte it matches no route with a longer path, because `match` never falls back to a shorter one.
    private func isMisspelt(_ path: RequestPath, _ taken: ProxyRoute, _ method: HTTPMethod) -> Bool {
        var folded: [[UInt8]]?
        for route in routes where taken.mayBeWeaker(than: route) {
            guard route.segments.count > taken.segments.count || route.definition(method) != nil else { continue }
            let read = folded ?? FoldedPath.fold(path.segments)
            folded = read
            if read.starts(with: route.folded) { return true }
        }
        return false
    }
}
