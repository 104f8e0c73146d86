internal import Basics
internal import HTTPCore

/// The request fields that no setting can pass on to an API: those that say who calls or from where, those that the server
/// writes itself, and those of one connection.
enum ReservedFields {
    static func contains(_ field: HTTPField.Name) -> Bool {
        let name = field.canonicalName
        return names.contains(name) || prefixes.contains { name.starts(withText: $0) }
            || name.utf8.contains(UInt8(ascii: "_"))
    }

    private static let names: Set<String> = [
        // Who calls.
        "authorization", "cookie", "cookie2", "dpop", "remote-user", "x-remote-user", "x-user", "x-api-key", "x-csrf",
        "x-bff-account", "client-cert", "client-cert-chain", "signature", "signature-input",
        // From where.
        "origin", "referer", "user-agent", "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
        "true-client-ip", "cf-connecting-ip", "fastly-client-ip", "x-host", "x-original-url", "x-rewrite-url",
        "x-http-method", "x-http-method-override", "x-method-override",
        // What the server writes.
        "x-request-id", "traceparent", "tracestate",
        // One connection's.
        "host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "expect", "max-forwards", "http2-settings", "early-data",
    ]
    private static let prefixes = [
        "access-control-", "proxy-", "sec-", "x-forwarded-", "x-auth-", "x-authenticated-", "x-original-", "x-ssl-",
        "x-client-cert", "ssl-", "x-envoy-", "x-amzn-", "x-goog-", "x-ms-client-",
    ]
}
