internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The rules for callers, decided on the head of a request, each in a function of its own.
///
/// A page of another site can make the browser send the cookie, but it can neither set our header field without our
/// consent (CORS) nor change what the browser says about the origin of the call.
final class CallerRules: Sendable {
    private let csrfHeader: String
    private let csrfValue: String
    private let csrfRefusal: Problem
    let crossOrigin: CrossOrigin
    private let hosts: [[UInt8]]
    private let cookie: SessionCookie

    init(_ settings: APISettings, _ crossOrigin: CrossOrigin, _ cookie: SessionCookie) {
        csrfHeader = settings.csrfHeader.lowercased()
        csrfValue = settings.csrfValue
        csrfRefusal = Self.csrfRefusal(settings.csrfHeader)
        self.crossOrigin = crossOrigin
        self.cookie = cookie
        hosts = Self.hosts(settings)
    }

    /// Applies the rules in the order of the design document.
    ///
    /// - Returns: Our cookies.
    func admit(_ request: ServerRequest, _ operation: Operation) throws(Problem) -> SentCookies {
        guard !operation.isServerCall else {
            // rule: a call of a provider comes to a name of ours
            try checkHost(request)
            return SentCookies()
        }
        if operation == .streamEvents { return try admitStream(request) }
        if operation.isBrowserCall { return try admitBrowser(request) }
        guard operation.isNavigation else { return try admitScript(request) }
        // rule: a navigation comes to a name of ours
        try checkHost(request)
        guard operation == .leave else { return SentCookies() }
        // rule: a flow is left by its user's own navigation
        try checkIsOpenedByUser(request)
        return try cookie.read(request)
    }

    /// Like `admit`, for a call that only a script of ours makes: an operation or a route to an API.
    func admitScript(_ request: ServerRequest) throws(Problem) -> SentCookies {
        // rule: a script sends our header field
        try checkCSRFHeader(request)
        // rule: a script is of an accepted origin
        try checkOrigin(request)
        // rule: a script is of our site by what the browser says
        try checkFetchSite(request)
        // rule: a script comes to a name of ours
        try checkHost(request)
        return try cookie.read(request)
    }

    /// Like `admitScript`, for a stream of events: browsers send no header field of ours for it, so that what they say
    /// about its origin has to be there.
    private func admitStream(_ request: ServerRequest) throws(Problem) -> SentCookies {
        // rule: a stream is of an accepted origin
        try checkOrigin(request)
        // rule: a stream is of our site by what the browser says
        try checkFetchSite(request)
        // rule: a stream says where it comes from
        try checkSaysOrigin(request)
        // rule: a stream is read by a script
        try checkIsRead(request)
        // rule: a stream comes to a name of ours
        try checkHost(request)
        return try cookie.read(request)
    }

    /// Like `admit`, for a call that the browser makes of its own accord: it has no header field of ours, and older
    /// browsers send neither `Origin` nor `Sec-Fetch-Site`.
    private func admitBrowser(_ request: ServerRequest) throws(Problem) -> SentCookies {
        // rule: a browser proves its device for a page of an accepted origin
        try checkOrigin(request)
        // rule: a browser proves its device for a page of our site
        try checkFetchSite(request)
        // rule: a browser proves its device to a name of ours
        try checkHost(request)
        return try cookie.read(request)
    }

    /// Requires a field that a page of another site cannot send: ours, or what the browser says about an accepted origin.
    private func checkSaysOrigin(_ request: ServerRequest) throws(Problem) {
        guard
            request.headers.isSingle(csrfHeader, csrfValue) || request.headers.count("origin") == 1
                || request.headers.isSingle("sec-fetch-site", "same-origin")
        else { throw csrfRefusal }
    }

    /// The session cookies of a request that was admitted.
    func readCookies(_ request: ServerRequest) throws(Problem) -> SentCookies { try cookie.read(request) }

    /// Requires our header field on every call, reads included, exactly once and with its value.
    func checkCSRFHeader(_ request: ServerRequest) throws(Problem) {
        guard request.headers.isSingle(csrfHeader, csrfValue) else { throw csrfRefusal }
    }

    private static func csrfRefusal(_ field: String) -> Problem {
        var problem = Problem(.csrf)
        problem.fields = [
            PageAnswerProblem(
                id: field, code: MemberProblem.required.rawValue,
                message: "The header field has to be sent once, with its configured value.")
        ]
        return problem
    }

    /// Requires that `Origin`, when present, is the server's own or a listed one; `null` is refused.
    func checkOrigin(_ request: ServerRequest) throws(Problem) {
        switch request.headers.count("origin") {
        case 0: return
        case 1:
            // rule: an accepted origin may call
            if let origin = request.headers.first("origin"), crossOrigin.knows(origin) { return }
        default: break
        }
        throw Problem(.csrf, "Calls from this origin are not accepted.")
    }

    /// Requires that `Sec-Fetch-Site`, when present, says that a page of ours or of a listed origin made the call.
    func checkFetchSite(_ request: ServerRequest) throws(Problem) {
        let headers = request.headers
        guard headers.count("sec-fetch-site") > 0, !headers.isSingle("sec-fetch-site", "same-origin") else { return }
        if headers.isSingle("sec-fetch-site", "same-site"), let origin = headers.single("origin"),
            // rule: a page of a sister site is listed | true
            crossOrigin.lists(origin)
        {
            return
        }
        throw Problem(.csrf, "Only scripts of the application may call; the browser says that this call is not theirs.")
    }

    /// Requires that `Host` is the host of the public address or a listed one: a page under another name (DNS
    /// rebinding) is not ours.
    func checkHost(_ request: ServerRequest) throws(Problem) {
        guard request.headers.isSingle("host", ignoringCase: hosts) else { throw Problem(.misdirectedRequest) }
    }

    /// The accepted values of `Host` in lower case; the scheme's default port may be included.
    private static func hosts(_ settings: APISettings) -> [[UInt8]] {
        let port = ":\(settings.publicURL.scheme.defaultPort)"
        return ([settings.publicURL.authority] + settings.hosts).flatMap { host -> [[UInt8]] in
            let host = host.lowercased()
            let hasPort =
                host.utf8.last != UInt8(ascii: "]")
                && host.split(byte: "]").last?.utf8.contains(UInt8(ascii: ":")) == true
            let plain = host.ends(withText: port) ? String(host.dropLast(port.utf8.count)) : host
            return hasPort && plain.isSameText(as: host)
                ? [Array(host.utf8)] : [Array(plain.utf8), Array((plain + port).utf8)]
        }
    }
}
