internal import BFF
internal import HTTPCore
internal import HTTPServer

extension BrowserAPI {
    /// Passes a call on to the API behind one of the routes.
    ///
    /// - Parameter call: The call, before any check; gets the route's path as its route.
    /// - Returns: nil when no route has the path.
    /// - Throws: Why the call is not made.
    func passOn(_ call: inout IncomingCall) async throws(Problem) -> OperationAnswer? {
        guard let proxy else { return nil }
        let request = call.request
        let path = try RequestPath(request.path)
        switch proxy.table.match(path, request.method) {
        case .nothing: return nil
        case .misspelt: throw UpstreamAddress.refused
        case .otherMethods(let methods, let headers):
            return try answerOtherMethod(
                request, methods, more: RequestFields.crossOrigin + headers.map(\.rawName))
        case .route(let route, let definition):
            call.route = route.settings.path
            let cookies = try callerRules.admitScript(request)
            try rates.checkCall(request, cookies)
            let isSignedIn = await backend.isSignedIn(cookies.session)
            call.share = try shares.begin(request, cookies.session ?? cookies.start, isSignedIn: isSignedIn)
            let passed = try ProxyCall(call, route, definition: definition, path: path, cookies: cookies)
            return try await proxy.forward(passed) { () throws(Problem) in
                // A renewal reaches the provider, whatever caused it.
                try rates.checkPeer(request)
                try rates.checkSession(cookies)
            }
        }
    }
}
