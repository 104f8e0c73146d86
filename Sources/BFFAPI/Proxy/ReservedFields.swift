internal import Basics
internal import HTTPCore

/// Header fields that no setting can pass on.
struct ReservedFields {
    private let names: Set<String>
    private let prefixes: [String]

    /// True if the field is reserved; a name with an underscore always is, because some servers read it as a hyphen.
    func contains(_ field: HTTPField.Name) -> Bool {
        let name = field.canonicalName
        return names.contains(name) || prefixes.contains { name.starts(withText: $0) }
            || name.utf8.contains(UInt8(ascii: "_"))
    }
}

extension ReservedFields {
    /// Fields of requests to an API that say who calls or from where, that the server itself writes, or that are
    /// hop-by-hop.
    static let requests = ReservedFields(
        names: [
            // The identity of the caller.
            "authorization", "cookie", "cookie2", "dpop", "remote-user", "x-remote-user", "x-user", "x-api-key",
            "x-csrf",
            "x-bff-account", "client-cert", "client-cert-chain", "signature", "signature-input",
            // The origin of the call.
            "origin", "referer", "user-agent", "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
            "true-client-ip", "cf-connecting-ip", "fastly-client-ip", "x-host", "x-original-url", "x-rewrite-url",
            "x-http-method", "x-http-method-override", "x-method-override",
            // Written by this server.
            "x-request-id", "traceparent", "tracestate",
            // Hop-by-hop.
            "host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "content-length", "expect", "max-forwards", "http2-settings", "early-data",
        ],
        prefixes: [
            "access-control-", "proxy-", "sec-", "x-forwarded-", "x-auth-", "x-authenticated-", "x-original-", "x-ssl-",
            "x-client-cert", "ssl-", "x-envoy-", "x-amzn-", "x-goog-", "x-ms-client-", "secure-session-",
        ])

    /// Fields of an API's answers that act on our origin, on the browser's session or on a proxy in front of us, that
    /// the server itself writes, or that are hop-by-hop.
    static let answers = ReservedFields(
        names: [
            // Set by this server alone.
            "set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "x-request-id", "traceparent",
            "tracestate", "strict-transport-security", "content-security-policy", "content-security-policy-report-only",
            "x-content-type-options", "referrer-policy", "cross-origin-resource-policy", "cross-origin-opener-policy",
            "cross-origin-opener-policy-report-only", "cross-origin-embedder-policy",
            "cross-origin-embedder-policy-report-only", "permissions-policy", "feature-policy", "x-frame-options",
            "x-xss-protection", "x-permitted-cross-domain-policies", "document-policy",
            // Fields that act on the whole origin.
            "clear-site-data", "refresh", "service-worker-allowed", "alt-svc", "nel", "report-to",
            "reporting-endpoints",
            "expect-ct", "public-key-pins", "public-key-pins-report-only", "accept-ch", "critical-ch", "set-login",
            "timing-allow-origin", "origin-trial", "sourcemap", "x-sourcemap", "origin-agent-cluster",
            "speculation-rules", "use-as-dictionary", "supports-loading-mode", "activate-storage-access",
            "observe-browsing-topics", "no-vary-search",
            // Caching, which has a setting of its own.
            "cache-control", "expires", "pragma", "age", "surrogate-control", "cdn-cache-control", "cache-status",
            // Hop-by-hop.
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "content-length", "date", "via", "proxy-authenticate", "proxy-authentication-info",
            // Fields that reveal the API's software or internal addresses.
            "server", "x-powered-by", "location", "content-location",
        ],
        prefixes: [
            "access-control-", "proxy-", "sec-", "x-accel-", "x-sendfile", "x-forwarded-", "x-auth-", "x-bff-",
            "attribution-reporting-", "x-litespeed-", "x-reproxy-", "x-envoy-", "secure-session-",
        ])
}
