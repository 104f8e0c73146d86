internal import BFF
internal import Basics
internal import HTTPCore
package import ResourceServer

/// Finds weaker routes that let calls bypass a stricter route.
///
/// The API decides whether two spellings are one path, and many APIs are lenient: `/api/Transactions` or
/// `/api/transactions.` would pass a weaker route on `/api`. So a weaker route may cover neither the path of a stricter
/// one nor its upstream, unless it says `insecureOverlap: true`; then calls whose spelling `FoldedPath` recognises are
/// refused.
package struct RouteOverlap {
    private let requirements: [Requirement]
    private let minimums: [String: String]

    /// Compares routes by their demands.
    ///
    /// - Parameters:
    ///   - requirements: The valid requirements of the configuration.
    ///   - minimums: For each client's name the requirement that all of its tokens have met.
    package init(requirements: [Requirement], minimums: [String: String]) {
        self.requirements = requirements
        self.minimums = minimums
    }

    /// Finds the weaker routes that cover a stricter one with a shared method, each once and in their order.
    ///
    /// - Parameter routes: All routes of a server.
    /// - Returns: Problems of `routes[].path` or `routes[].upstream`; empty when there are none.
    package func problems(_ routes: [RouteSettings]) -> [APISettingsError] {
        routes.enumerated().compactMap { index, route in
            if route.insecureOverlap { return nil }
            // A method that occurs twice on one path is another problem.
            let rivals = routes.filter {
                !$0.path.isSameText(as: route.path) && sharesMethod(route, $0) && isWeaker(route, than: $0)
            }
            if let rival = rivals.first(where: { Self.covers(route.path, $0.path) }) {
                return APISettingsError(
                    "routes[\(index)].path",
                    "expected a path that does not cover \(rival.path), which asks for more: by another spelling its calls "
                        + "would pass here. Take the paths apart, leave out the methods that both have, or say "
                        + "insecureOverlap: true")
            }
            guard
                let rival = rivals.first(where: {
                    $0.upstream.origin.isSameText(as: route.upstream.origin)
                        && Self.covers(route.upstream.path, $0.upstream.path)
                })
            else { return nil }
            return APISettingsError(
                "routes[\(index)].upstream",
                "expected an address that does not cover the upstream of \(rival.path), which asks for more: its calls would "
                    + "pass here. Take the addresses apart, leave out the methods that both have, or say "
                    + "insecureOverlap: true")
        }
    }

    private func sharesMethod(_ one: RouteSettings, _ other: RouteSettings) -> Bool {
        !Set(one.servedMethods).isDisjoint(with: other.servedMethods)
    }

    /// True if one route passes calls that do not meet the demand of the other.
    private func isWeaker(_ one: RouteSettings, than other: RouteSettings) -> Bool {
        if other.route.demand == .none { return false }
        if one.route.demand == .none { return true }
        let shown = shown(one)
        return !self.shown(other).allSatisfy { asked in shown.contains { $0.implies(asked) } }
    }

    /// The requirements that every token of a route's calls has met: the route's own, and the minimum that all of its
    /// clients share.
    private func shown(_ route: RouteSettings) -> [Requirement] {
        let ofClients = route.route.clients.map { Set([minimums[$0]].compactMap(\.self)) }
        var names = ofClients.dropFirst().reduce(ofClients.first ?? []) { $0.intersection($1) }
        if case .requirement(let name) = route.route.demand { names.insert(name) }
        return requirements.filter { names.contains($0.name) }
    }

    private static func covers(_ path: String, _ other: String) -> Bool {
        guard let segments = try? RequestPath(path[...]).segments, let others = try? RequestPath(other[...]).segments
        else { return false }
        return FoldedPath.fold(others).starts(with: FoldedPath.fold(segments))
    }
}
