extension Journey {
    /// Whether the client or its transport writes a header field of that name itself, so that it can neither name the session
    /// nor be set by the way.
    ///
    /// - Parameter name: The name; case does not matter.
    /// - Returns: Also true for what says where a call comes from, which is for `BrowserForwarding` to decide.
    package static func isOwnField(_ name: String) -> Bool {
        let name = name.lowercased()
        // rule: fields of our own are not forwarded | false
        return ownFields.contains(name) || name.hasPrefix("x-forwarded-") || name.hasPrefix("proxy-")
    }

    private static let ownFields: Set = [
        // What the client says of itself and of the browser.
        "accept", "accept-api-version", "accept-encoding", "accept-language", "authorization", "content-encoding",
        "content-type", "cookie", "forwarded", "origin", "referer", "set-cookie", "traceparent", "tracestate",
        "user-agent", "via", "x-real-ip", "x-requested-with", "x-requested-platform",
        // One connection's.
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
