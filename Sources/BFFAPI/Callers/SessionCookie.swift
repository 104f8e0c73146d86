internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON
internal import Sessions

/// The session cookies of a request.
struct SentCookies: Sendable {
    /// The cookie of a session.
    var session: String?
    /// The cookie of a session before its first sign-in.
    var start: String?
    /// The proof of the browser's device.
    var device = SentDeviceProof()

    /// Calls `body` with each cookie that is present.
    func forEach(_ body: (String) throws(Problem) -> Void) throws(Problem) {
        if let session { try body(session) }
        if let start { try body(start) }
    }
}

/// The session cookie: the tag that names the session, and the secret that opens it.
///
/// Before the first sign-in it has another name, so that a late answer to a `start` never replaces the cookie of a
/// sign-in.
struct SessionCookie: Sendable {
    private let name: String
    private let startName: String
    private let returnName: String
    private let isSecure: Bool
    private let bytes: [UInt8]
    private let startSuffix = Array(APISettings.startCookieSuffix.utf8)
    /// Reads and writes the cookie of devices; nil where sessions are not bound to devices.
    private let device: DeviceCookie?

    init(_ settings: APISettings, device: DeviceCookie? = nil) {
        self.device = device
        name = settings.cookieName
        bytes = Array(name.utf8)
        startName = settings.startCookieName
        returnName = settings.returnCookieName
        isSecure = settings.publicURL.scheme == .https
    }

    /// Reads the session cookies of a request.
    ///
    /// - Throws: `.duplicateCookie` when a name occurs twice: a sibling host may have planted one, and the server
    ///   cannot tell which of them is ours.
    func read(_ request: ServerRequest) throws(Problem) -> SentCookies {
        var sent = SentCookies()
        var isRepeated = false
        request.headers.forEachValue("cookie") { field in
            CookieHeader.find(bytes, or: startSuffix, in: field) { isStart, range in
                let value = String(decoding: UnsafeBufferPointer(rebasing: field[range]), as: UTF8.self)
                if (isStart ? sent.start : sent.session) != nil { isRepeated = true }
                if isStart { sent.start = value } else { sent.session = value }
            }
        }
        guard !isRepeated else { throw Problem(.duplicateCookie) }
        if let device { sent.device = device.read(request) }
        return sent
    }

    /// Reads the cookie that recognises a browser returning from another site.
    ///
    /// - Throws: `.duplicateCookie` when it occurs twice.
    func readReturn(_ request: ServerRequest) throws(Problem) -> String? {
        let sent = CookieHeader(request.headers.values("cookie")).values(returnName)
        guard sent.count <= 1 else { throw Problem(.duplicateCookie) }
        return sent.first.map { String($0) }
    }

    /// The header field that sets the return cookie.
    ///
    /// Unlike a session cookie it is sent when another site begins the navigation (`SameSite=Lax`); it opens no
    /// session.
    func setReturn(_ value: String, life: Duration) throws(Problem) -> ResponseHeader {
        try field(SetCookie(name: returnName, value: value, maxAge: life.components.seconds), .lax)
    }

    /// The `Set-Cookie` fields of a change; none when the cookies stay as they are.
    func headers(_ change: CookieChange) throws(Problem) -> [ResponseHeader] {
        let forgotten = SetCookie(name: startName, value: "", maxAge: 0)
        switch change {
        case .keep: return []
        case .begin(let value): return [try field(SetCookie(name: startName, value: value))]
        case .set(let value, let offer):
            let own = [try field(SetCookie(name: name, value: value)), try field(forgotten)]
            guard let offer, let device else { return own }
            return own + (try device.headers(offer))
        case .clear:
            let own = [try field(SetCookie(name: name, value: "", maxAge: 0)), try field(forgotten)]
            guard let device else { return own }
            return own + [try device.removal()]
        }
    }

    /// Without `Domain`, so that the cookie is for this host alone; without `Expires`, so that a cookie without
    /// `Max-Age` ends with the browser.
    private func field(
        _ cookie: SetCookie, _ sameSite: SetCookie.SameSite = .strict
    ) throws(Problem) -> ResponseHeader {
        var cookie = cookie
        cookie.path = "/"
        cookie.secure = isSecure
        cookie.httpOnly = true
        cookie.sameSite = sameSite
        guard let value = cookie.fieldValue else { throw Problem(.internalError) }
        return ResponseHeader("Set-Cookie", value)
    }
}
