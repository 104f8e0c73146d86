internal import BFF
internal import Basics
internal import HTTPCore

extension RouteSettings {
    /// Checks a set of routes and returns every problem, in their order.
    ///
    /// - Parameters:
    ///   - routes: All routes of a server.
    ///   - basePath: The base path of the API, which no route may cover.
    ///   - clients: The names of the configured clients.
    ///   - requirements: The names of the configured requirements.
    /// - Returns: The problems; empty when the routes can be served.
    package static func problems(
        _ routes: [RouteSettings], basePath: String, clients: [String], requirements: [String]
    ) -> [APISettingsError] {
        var problems: [APISettingsError] = []
        var taken = Set<String>()
        for (index, route) in routes.enumerated() {
            func check(_ holds: Bool, _ setting: String, _ expected: String) {
                if !holds { problems.append(APISettingsError("routes[\(index)].\(setting)", "expected " + expected)) }
            }
            check(
                isPath(route.path), "path",
                "a path like /api/accounts, of letters, digits and -._~ and without a slash at its end")
            check(
                !isBelow(route.path, basePath) && !isBelow(route.path, "/authz") && !isBelow(basePath, route.path)
                    && !isBelow(route.path, ProblemPage.path)
                    && !["/openapi.yaml", "/.well-known/webauthn", "/.well-known/passkey-endpoints"]
                        .contains(where: route.path.isSameText),
                "path", "a path apart from those of the server itself")
            check(
                route.upstream.query == nil && RequestPath.isNormal(route.upstream.path), "upstream",
                "an address without a query and without dot segments")
            check(
                !route.methods.isEmpty && route.methods.allSatisfy(known.contains), "methods",
                "some of GET, HEAD, POST, PUT, PATCH and DELETE")
            for method in Set(route.methods) {
                check(
                    taken.insert("\(method.rawValue) \(route.path)").inserted, "methods",
                    "each method of a path once; \(method.rawValue) is taken")
            }
            check(bodyRange ~= route.bodyLimit, "limits.body", ValueForm.size(bodyRange).expected)
            check(timeRange ~= route.timeout, "limits.time", ValueForm.duration(timeRange).expected)
            check(
                concurrencyRange ~= route.concurrency, "limits.concurrency",
                ValueForm.number(concurrencyRange).expected)
            check(
                route.route.demand == .none || !route.route.clients.isEmpty, "clients",
                "the clients whose tokens may be used")
            for name in route.headers {
                check(
                    !ReservedFields.requests.contains(name), "headers",
                    "fields that neither say who calls nor belong to one connection; \(name.rawName) does")
            }
            for name in route.answerHeaders {
                check(
                    !ReservedFields.answers.contains(name), "answerHeaders",
                    "fields that act on nothing but the answer; \(name.rawName) does")
            }
            for name in route.route.clients {
                check(clients.contains(name), "clients", "names of configured clients")
            }
            if case .requirement(let name) = route.route.demand {
                check(requirements.contains(name), "require", "none, signed-in or the name of a requirement")
            }
        }
        return problems
    }

    private static let known: Set<HTTPMethod> = [.get, .head, .post, .put, .patch, .delete]

    /// True for a path of plain segments that need no escape and are not dot segments.
    private static func isPath(_ path: String) -> Bool {
        let words = path.split(byte: "/", omittingEmptySubsequences: false)
        return words.count >= 2 && words[0].isEmpty && path.utf8.count <= 512
            && words.dropFirst().allSatisfy { word in
                !word.isEmpty && ![".", ".."].contains { word.isSameText(as: $0) }
                    && word.utf8.allSatisfy(PercentEncoding.isUnreserved)
            }
    }

    private static func isBelow(_ path: String, _ prefix: String) -> Bool {
        path.isSameText(as: prefix) || path.starts(withText: prefix + "/")
    }
}
