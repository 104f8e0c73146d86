internal import Basics
internal import HTTPCore

/// Fields that no setting can pass on.
struct ReservedFields {
    private let names: Set<String>
    private let prefixes: [String]

    /// Whether a field is one of them; one with an underscore is, because some servers read it as a hyphen.
    func contains(_ field: HTTPField.Name) -> Bool {
        let name = field.canonicalName
        return names.contains(name) || prefixes.contains { name.starts(withText: $0) }
            || name.utf8.contains(UInt8(ascii: "_"))
    }
}

extension ReservedFields {
    /// Of requests to an API: those that say who calls or from where, those that the server writes itself, and those of one
    /// connection.
    static let requests = ReservedFields(
        names: [
            // Who calls.
            "authorization", "cookie", "cookie2", "dpop", "remote-user", "x-remote-user", "x-user", "x-api-key",
            "x-csrf",
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
        ],
        prefixes: [
            "access-control-", "proxy-", "sec-", "x-forwarded-", "x-auth-", "x-authenticated-", "x-original-", "x-ssl-",
            "x-client-cert", "ssl-", "x-envoy-", "x-amzn-", "x-goog-", "x-ms-client-",
        ])

    /// Of an API's answers: those that act on our origin, on the browser's session or on a proxy in front of us, those that the
    /// server writes itself, and those of one connection.
    static let answers = ReservedFields(
        names: [
            // Ours to say.
            "set-cookie", "set-cookie2", "www-authenticate", "authentication-info", "x-request-id", "traceparent",
            "tracestate", "strict-transport-security", "content-security-policy", "content-security-policy-report-only",
            "x-content-type-options", "referrer-policy", "cross-origin-resource-policy", "cross-origin-opener-policy",
            "cross-origin-opener-policy-report-only", "cross-origin-embedder-policy",
            "cross-origin-embedder-policy-report-only", "permissions-policy", "feature-policy", "x-frame-options",
            "x-xss-protection", "x-permitted-cross-domain-policies", "document-policy",
            // What acts on the whole origin.
            "clear-site-data", "refresh", "service-worker-allowed", "alt-svc", "nel", "report-to",
            "reporting-endpoints",
            "expect-ct", "public-key-pins", "public-key-pins-report-only", "accept-ch", "critical-ch", "set-login",
            "timing-allow-origin", "origin-trial", "sourcemap", "x-sourcemap", "origin-agent-cluster",
            "speculation-rules", "use-as-dictionary", "supports-loading-mode", "activate-storage-access",
            "observe-browsing-topics", "no-vary-search",
            // How long caches keep it, which is another setting.
            "cache-control", "expires", "pragma", "age", "surrogate-control", "cdn-cache-control", "cache-status",
            // One connection's.
            "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
            "content-length", "date", "via", "proxy-authenticate", "proxy-authentication-info",
            // What tells who answered, and addresses of the inside.
            "server", "x-powered-by", "location", "content-location",
        ],
        prefixes: [
            "access-control-", "proxy-", "sec-", "x-accel-", "x-sendfile", "x-forwarded-", "x-auth-", "x-bff-",
            "attribution-reporting-", "x-litespeed-", "x-reproxy-", "x-envoy-",
        ])
}
