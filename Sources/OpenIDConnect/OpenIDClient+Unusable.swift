package import HTTPCore
internal import Logs

extension OpenIDClient {
    /// Logs an answer below 400 that did not come from the provider, such as a gateway's page or a redirect to another
    /// site.
    ///
    /// Refusals are logged by the code that made the call, with their status.
    ///
    /// - Parameters:
    ///   - response: The answer; neither its body nor the query of its `Location` is logged.
    ///   - request: The request that it answers; the end of its path names the call.
    package func noteUnusable(_ response: ClientResponse, to request: ClientRequest) {
        guard response.status < 400 else { return }
        let call = request.url.path.split(separator: "/").last.map { String($0.prefix(64)) } ?? "/"
        var metadata: Logger.Metadata = [
            "call": .string("\(request.method.rawValue) \(call)"), "http.host": .string(request.url.authority),
            "http.status": .stringConvertible(response.status),
            "content.type": .string(response.contentTypeName), "client.id": .string(settings.clientID),
        ]
        if let host = response.redirectHost { metadata["location.host"] = .string(host) }
        if let id = request.context?.id { metadata["request.id"] = .string(id) }
        logger.warning(
            "Something else answers in place of the provider, or its answer cannot be read", metadata: metadata)
    }
}

extension ClientResponse {
    /// The media type without parameters, for a log: `none` without the field, `unreadable` for an invalid field.
    package var contentTypeName: String {
        guard let field = fields[.contentType] else { return "none" }
        return MediaType(parsing: field).map { String($0.essence.prefix(64)) } ?? "unreadable"
    }

    /// The host of a redirect; nil without a `Location`, or for a `Location` without a host.
    package var redirectHost: String? {
        guard 300..<400 ~= status, let location = fields[.location] else { return nil }
        return WebURL(location).map { String($0.authority.prefix(255)) }
    }
}
