internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The header fields of an API's answer on their way down, without those that would act on our origin, on the browser's
/// session or on a proxy in front of us.
enum ResponseFields {
    /// The names, in lower case, of fields that are never passed on.
    private static let dropped: Set<String> = [
        // Ours to say.
        "set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "x-request-id", "traceparent",
        "tracestate", "strict-transport-security", "content-security-policy", "content-security-policy-report-only",
        "x-content-type-options", "referrer-policy", "cross-origin-resource-policy", "cross-origin-opener-policy",
        "cross-origin-opener-policy-report-only",
        // What acts on the whole origin.
        "clear-site-data", "refresh", "service-worker-allowed", "alt-svc", "nel", "report-to", "reporting-endpoints",
        "expect-ct", "public-key-pins", "public-key-pins-report-only", "accept-ch", "critical-ch", "set-login",
        "timing-allow-origin", "origin-trial", "sourcemap", "x-sourcemap", "origin-agent-cluster",
        "speculation-rules", "use-as-dictionary",
        // One connection's.
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "date", "via", "proxy-authenticate", "proxy-authentication-info",
        // What tells who answered, and addresses of the inside.
        "server", "x-powered-by", "location", "content-location",
    ]
    private static let droppedPrefixes = [
        "access-control-", "proxy-", "sec-", "x-accel-", "x-sendfile", "x-forwarded-",
    ]
    private static let caching: Set<String> = ["cache-control", "expires", "pragma", "age", "surrogate-control"]

    /// The most bytes of header fields that are passed on; a connection of ours has room for them and some more.
    static let limit = 32 * 1024

    /// What scripts of listed origins may read besides what they may read of every answer.
    static let readable = ["Content-Disposition", "Content-Range", "ETag", "Link", "Location"]

    /// - Parameters:
    ///   - response: The answer of the API.
    ///   - keepsCacheControl: Whether the route lets the API say how long its answers may be kept.
    /// - Returns: What goes to the browser, without the fields that every answer has.
    static func make(_ response: ClientResponse, keepsCacheControl: Bool) -> [ResponseHeader] {
        let hopByHop = RequestFields.connectionNames(response.fields[values: .connection])
        var headers: [ResponseHeader] = []
        headers.reserveCapacity(response.fields.count + 1)
        var saysCaching = false
        for field in response.fields {
            let name = field.name.canonicalName
            guard !dropped.contains(name), !hopByHop.contains(name), !name.utf8.contains(UInt8(ascii: "_")),
                !droppedPrefixes.contains(where: { name.starts(withText: $0) })
            else { continue }
            if caching.contains(name) {
                guard keepsCacheControl else { continue }
                saysCaching = saysCaching || name.isSameText(as: "cache-control")
            }
            headers.append(ResponseHeader(field))
        }
        if !saysCaching { headers.append(ResponseHeader("Cache-Control", "private, no-store")) }
        return headers
    }
}
