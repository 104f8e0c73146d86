internal import BFF
internal import HTTPCore
internal import HTTPServer

/// What a request brought of our cookies.
struct SentCookies: Sendable {
    /// That of a session.
    var session: String?
    /// That of a session in which nobody has signed in.
    var start: String?

    /// Does something with each that there is.
    func forEach(_ body: (String) throws(Problem) -> Void) throws(Problem) {
        if let session { try body(session) }
        if let start { try body(start) }
    }
}

/// The cookie that a browser gets: the tag that names its session, and the secret that opens it.
///
/// Until somebody has signed in it has another name, so that the answer to a `start` never takes the place of a sign-in's,
/// however late it comes.
struct SessionCookie: Sendable {
    private let name: String
    private let startName: String
    private let returnName: String
    private let isSecure: Bool
    private let bytes: [UInt8]
    private let startSuffix = Array(APISettings.startCookieSuffix.utf8)

    init(_ settings: APISettings) {
        name = settings.cookieName
        bytes = Array(name.utf8)
        startName = settings.startCookieName
        returnName = settings.returnCookieName
        isSecure = settings.publicURL.scheme == .https
    }

    /// What the browser sent.
    ///
    /// - Throws: `.duplicateCookie` when a name occurs twice: a sibling host may have planted one, and which of them
    ///   is ours cannot be told.
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
        return sent
    }

    /// What the browser sent of the cookie by which somebody is known who comes back.
    ///
    /// - Throws: `.duplicateCookie`.
    func readReturn(_ request: ServerRequest) throws(Problem) -> String? {
        let sent = CookieHeader(request.headers.values("cookie")).values(returnName)
        guard sent.count <= 1 else { throw Problem(.duplicateCookie) }
        return sent.first.map { String($0) }
    }

    /// The header field that gives that cookie.
    ///
    /// Unlike that of a session it comes along when another site begins the navigation; it opens nothing of a session.
    func setReturn(_ value: String, life: Duration) throws(Problem) -> ResponseHeader {
        try field(SetCookie(name: returnName, value: value, maxAge: life.components.seconds), .lax)
    }

    /// The header fields for what becomes of the cookies; none when they stay as they are.
    func headers(_ change: CookieChange) throws(Problem) -> [ResponseHeader] {
        let forgotten = SetCookie(name: startName, value: "", maxAge: 0)
        switch change {
        case .keep: return []
        case .begin(let value): return [try field(SetCookie(name: startName, value: value))]
        case .set(let value): return [try field(SetCookie(name: name, value: value)), try field(forgotten)]
        case .clear: return [try field(SetCookie(name: name, value: "", maxAge: 0)), try field(forgotten)]
        }
    }

    /// Without `Domain`, so that it is for this host alone; without `Expires`, so that one without `Max-Age` ends with the browser.
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
