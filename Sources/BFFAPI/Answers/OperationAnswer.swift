internal import BFF
internal import HTTPServer
internal import ResourceServer

/// The outcome of a request, before it is written as an HTTP response.
enum OperationAnswer: Sendable {
    /// The result of an operation: 200 with JSON, 204 without; the change of the cookie; and the delay before the next
    /// request, where it is known.
    case reply([UInt8], CookieChange, retryAfter: Duration? = nil)
    /// Like `reply`, with a status and a body of one of Ping's protocols.
    case answered(status: Int, [UInt8], CookieChange, retryAfter: Duration? = nil)
    /// A stream of events, which the function writes piece by piece.
    case events(@Sendable (ResponseWriter) async throws -> Void)
    /// A document that does not depend on the session.
    case document(mediaType: String, [UInt8])
    /// 303 to an address, optionally with a cookie: the next page of a navigation.
    case redirect(String, [ResponseHeader])
    /// A page with its own content security policy, and a cookie.
    case page([UInt8], policy: String, [ResponseHeader])
    /// A file of the app, or 304 without it; the fields replace those of the same name that every answer has.
    case file(status: Int, [ResponseHeader], [UInt8])
    /// 200 with JSON, or 204 without, and further header fields: an answer to a browser's proof of its device.
    case device([UInt8], [ResponseHeader])
    /// 204 with further header fields.
    case empty([ResponseHeader])
    /// 204 for a gateway: the token that it asked about is valid, and these are its facts.
    case allowed(TokenFacts)
    /// An API's answer, with header fields that were checked already.
    case passed(status: Int, [ResponseHeader], ResponseBody)
    /// A refusal or a failure.
    case problem(Problem)

    /// The cookie that the answer brings; nil for none.
    var newCookie: String? {
        let change: CookieChange
        switch self {
        case .reply(_, let reply, _): change = reply
        case .answered(_, _, let reply, _): change = reply
        default: return nil
        }
        return switch change {
        case .set(let value, _): value
        case .begin(let value): value
        case .keep, .clear: nil
        }
    }

    /// True if the answer changes the cookie.
    ///
    /// Such an answer is sent even if it exceeds the limits of held bytes: without it the browser would lose its session.
    var bringsCookie: Bool {
        switch self {
        case .reply(_, let change, _), .answered(_, _, let change, _): change != .keep
        default: false
        }
    }
}
