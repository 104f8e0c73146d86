internal import Basics
internal import HTTPCore

extension APISettings {
    /// Checks the settings and returns every problem, in the order of the configuration.
    ///
    /// - Returns: The problems; empty when the API can be made from the settings.
    package func problems() -> [APISettingsError] {
        var problems: [APISettingsError] = []
        func check(_ holds: Bool, _ setting: String, _ expected: String) {
            if !holds { problems.append(APISettingsError("server.\(setting)", "expected " + expected)) }
        }
        check(
            publicURL.path.isSameText(as: "/") && publicURL.query == nil, "publicUrl",
            "an address without path and query")
        let isSound = publicURL.scheme == .https || insecureHTTP && publicURL.isLoopback
        check(isSound, "publicUrl", "https, or http on an address of this machine together with insecureHttp")
        check(
            !hstsIncludesSubdomains || publicURL.scheme == .https, "hsts.includeSubDomains",
            "an https publicUrl with this")
        check(Self.isBasePath(basePath), "basePath", "a path like /bff, without a slash at its end")
        check(Self.isCustomField(csrfHeader), "csrfHeader", "a header name that begins with X-")
        check(Self.isVisible(csrfValue), "csrfValue", "1 to 64 visible ASCII characters")
        for origin in corsOrigins {
            check(isCrossOrigin(origin), "corsOrigins", "origins like https://app.example.com, without a path")
            check(
                !isSound || !isCrossOrigin(origin) || WebURL(origin).map { Site.isShared($0, publicURL) } ?? false,
                "corsOrigins",
                "origins of the site of publicUrl; browsers send the session cookie to pages of no other, and "
                    + "\(origin) is of another")
        }
        for (name, origins) in pageSources.lists {
            for origin in origins {
                check(
                    isSource(origin), "contentSecurityPolicy.\(name)",
                    "origins like https://www.example.com, without a path")
            }
        }
        for origin in passkeys.relatedOrigins {
            check(
                Self.isSite(origin), "webAuthn.relatedOrigins",
                "https origins like https://www.example.net, without a path and with a host name")
        }
        check(
            passkeys.countedLabels.count <= PasskeySettings.labels, "webAuthn.relatedOrigins",
            "names of \(PasskeySettings.labels) sites at most, without their public suffixes; browsers ignore further ones"
        )
        for (name, page) in [("enroll", passkeys.enroll), ("manage", passkeys.manage)] {
            check(page.map(isPage) ?? true, "passkeyEndpoints.\(name)", "an https address")
        }
        for host in hosts {
            check(Self.isHost(host), "hosts", "hosts like app.example.com or app.example.com:8443")
        }
        check(Self.answerRange ~= answerLimit, "limits.answers", ValueForm.size(Self.answerRange).expected)
        check(Self.bodyRange ~= bodyLimit, "limits.body", ValueForm.size(Self.bodyRange).expected)
        let rates = [
            ("peer", peerRate), ("session", sessionRate), ("flow", flowRate), ("anonymous", newSessionRate),
            ("account", accountRate),
            ("api.peer", callPeerRate), ("api.session", callSessionRate),
        ]
        for (name, rate) in rates {
            check(rate?.isValid ?? true, "rates.\(name)", ValueForm.number(RateLimit.range).expected)
        }
        let calls = [
            ("callsPerPeer", callerLimits.callsPerPeer), ("callsPerSession", callerLimits.callsPerSession),
        ]
        for (name, limit) in calls {
            check(CallerLimits.callRange ~= limit, "limits.\(name)", ValueForm.number(CallerLimits.callRange).expected)
        }
        let sizes = [
            ("held", callerLimits.held), ("heldPerPeer", callerLimits.heldPerPeer),
            ("heldPerSession", callerLimits.heldPerSession),
        ]
        for (name, limit) in sizes {
            check(CallerLimits.heldRange ~= limit, "limits.\(name)", ValueForm.size(CallerLimits.heldRange).expected)
        }
        return problems
    }

    /// True for slashes with plain words between them; no word may look like a dot segment or need an escape.
    private static func isBasePath(_ path: String) -> Bool {
        let words = path.split(byte: "/", omittingEmptySubsequences: false)
        return words.count >= 2 && words[0].isEmpty && path.utf8.count <= 128
            && words.dropFirst().allSatisfy { $0.isWord(1...128) }
    }

    /// True for a field that proves a script of ours: browsers do not send it of their own accord, and no form can set
    /// it.
    private static func isCustomField(_ name: String) -> Bool {
        name.isWord(3...64) && name.lowercased().starts(withText: "x-")
    }

    private static func isVisible(_ text: String) -> Bool {
        1...64 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// True for an origin exactly as a browser sends it in `Origin`; `null`, `*`, a path or a default port never
    /// compare equal.
    private func isCrossOrigin(_ origin: String) -> Bool {
        guard let url = WebURL(origin), url.origin.isSameText(as: origin) else { return false }
        return url.scheme == .https || insecureHTTP && url.isLoopback
    }

    /// True for an origin that is one source of a policy: no wildcard, no keyword, and no second source beside it.
    private func isSource(_ origin: String) -> Bool {
        isCrossOrigin(origin)
            && origin.utf8.allSatisfy { $0.isLetterOrDigit || [0x2D, 0x2E, 0x2F, 0x3A, 0x5B, 0x5D].contains($0) }
    }

    /// True for an https origin exactly as a browser writes it; an IP address is no site of a passkey.
    private static func isSite(_ origin: String) -> Bool {
        guard let url = WebURL(origin), url.origin.isSameText(as: origin) else { return false }
        return url.scheme == .https && !url.isAddress
    }

    /// True for a page that a password manager may open.
    private func isPage(_ url: WebURL) -> Bool { url.scheme == .https || insecureHTTP && url.isLoopback }

    private static func isHost(_ host: String) -> Bool {
        guard let url = WebURL("https://\(host)") else { return false }
        return url.path.isSameText(as: "/") && url.query == nil && !host.ends(withText: "/")
    }
}
