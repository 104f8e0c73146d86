extension Journey {
    /// True if the client or its transport sets the header field itself.
    ///
    /// Such a field can neither be the name of the session header nor be forwarded.
    ///
    /// - Parameter name: The name; case does not matter.
    /// - Returns: Also true for fields that tell the address of the browser, which `BrowserForwarding` decides on.
    package static func isOwnField(_ name: String) -> Bool {
        let name = name.lowercased()
        // rule: fields of our own are not forwarded | false
        return ownFields.contains(name) || name.hasPrefix("x-forwarded-") || name.hasPrefix("proxy-")
    }

    private static let ownFields: Set = [
        // Fields about the client and the browser.
        "accept", "accept-api-version", "accept-encoding", "accept-language", "authorization", "content-encoding",
        "content-type", "cookie", "forwarded", "origin", "referer", "set-cookie", "traceparent", "tracestate",
        "user-agent", "via", "x-real-ip", "x-requested-with", "x-requested-platform",
        // Fields of one connection.
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
    ]
}
