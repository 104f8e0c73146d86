internal import BFF
internal import HTTPServer
internal import ResourceServer

/// What a request led to, before it is put in HTTP.
enum OperationAnswer: Sendable {
    /// What an operation gave back: 200 with JSON, 204 without; what becomes of the cookie; when to ask again, where that is
    /// known.
    case reply([UInt8], CookieChange, retryAfter: Duration? = nil)
    /// A document that is always the same.
    case document(mediaType: String, [UInt8])
    /// 204 with further header fields.
    case empty([ResponseHeader])
    /// 204 for a gateway: the token that it asked about is good, and this is who it is of.
    case allowed(TokenFacts)
    /// An API's answer, its header fields checked already.
    case passed(status: Int, [ResponseHeader], ResponseBody)
    /// A refusal or a failure.
    case problem(Problem)

    /// Whether it changes the cookie, so that it is never taken back: the session that the cookie opens would be lost.
    var bringsCookie: Bool {
        if case .reply(_, let change, _) = self, change != .keep { true } else { false }
    }
}
