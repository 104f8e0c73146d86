internal import BFF
internal import HTTPCore
internal import HTTPServer

/// The one cookie that a browser gets: the tag that names its session, and the secret that opens it.
struct SessionCookie: Sendable {
    private let name: String
    private let isSecure: Bool

    init(_ settings: APISettings) {
        name = settings.cookieName
        isSecure = settings.publicURL.scheme == .https
    }

    /// The value that the browser sent.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: `.duplicateCookie` when the name occurs twice: a sibling host may have planted one, and which of them
    ///   is ours cannot be told.
    func read(_ request: ServerRequest) throws(Problem) -> String? {
        var found = 0
        var value: String?
        var name = name
        name.withUTF8 { name in
            request.headers.forEachValue("cookie") { field in
                let (count, range) = CookieHeader.find(name, in: field)
                found += count
                if found == 1, let range {
                    value = String(decoding: UnsafeBufferPointer(rebasing: field[range]), as: UTF8.self)
                }
            }
        }
        guard found <= 1 else { throw Problem(.duplicateCookie) }
        return value
    }

    /// The header field for what becomes of the cookie; nil when it stays as it is.
    func header(_ change: CookieChange) throws(Problem) -> ResponseHeader? {
        switch change {
        case .keep: return nil
        case .set(let value): return try field(SetCookie(name: name, value: value))
        case .clear: return try field(SetCookie(name: name, value: "", maxAge: 0))
        }
    }

    /// Without `Domain`, so that it is for this host alone; without `Expires`, so that it ends with the browser.
    private func field(_ cookie: SetCookie) throws(Problem) -> ResponseHeader {
        var cookie = cookie
        cookie.path = "/"
        cookie.secure = isSecure
        cookie.httpOnly = true
        cookie.sameSite = .strict
        guard let value = cookie.fieldValue else { throw Problem(.internalError) }
        return ResponseHeader("Set-Cookie", value)
    }
}
