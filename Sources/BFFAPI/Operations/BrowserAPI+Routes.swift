internal import BFF
internal import HTTPCore
internal import HTTPServer

extension BrowserAPI {
    /// A call to an API behind one of the routes.
    ///
    /// - Parameters:
    ///   - request: The request, before anything of it was judged.
    ///   - id: The request id.
    ///   - template: Becomes the route's path, for logs.
    /// - Returns: nil when no route has the path.
    /// - Throws: Why the call is not made.
    func passOn(
        _ request: ServerRequest, _ id: String, _ template: inout String
    ) async throws(Problem) -> Answer? {
        guard let proxy else { return nil }
        let path = try RequestPath(request.path)
        switch proxy.table.match(path, request.method) {
        case .nothing: return nil
        case .otherMethods(let methods, let headers):
            return try answerOtherMethod(
                request, methods, more: RequestFields.crossOrigin + headers.map(\.rawName))
        case .route(let route, let definition):
            template = route.settings.path
            let cookie = try admission.admitScript(request)
            let call = try ProxyCall(request, route, definition, path, id, cookie: cookie)
            return try await proxy.forward(call) { () throws(Problem) in
                // A renewal reaches the provider, however it came about.
                try rates.checkPeer(request)
                try rates.checkSession(cookie)
            }
        }
    }
}
