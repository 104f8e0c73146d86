internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// One request to one operation, with the parts of it that are read once.
struct OperationCall: Sendable {
    let incoming: IncomingCall
    let operation: Operation
    /// The instance in the path; empty for paths without one.
    let instance: String
    /// The flow or the handle in the path; empty for paths without one.
    let flow: String
    /// Our cookies, set once the request is admitted.
    var cookies = SentCookies()

    var request: ServerRequest { incoming.request }

    /// A use case gives up this long before the listener does, so that it can still answer with the reason.
    private static let margin = Duration.milliseconds(500)

    /// The context that the use case gets of the request.
    func context(
        _ languages: [String] = [], _ browser: BrowserFacts = BrowserFacts(), patience: Duration = .zero
    ) -> CallContext {
        CallContext(
            cookie: cookies.session, startCookie: cookies.start, device: cookies.device, languages: languages,
            browser: browser,
            deadline: max(request.deadline, request.began + patience) - Self.margin, requestID: incoming.id,
            address: incoming.address.text, began: request.began)
    }

    /// Like `context`, for an operation that may show a page: adds the facts about the browser that the provider may be
    /// told.
    ///
    /// `patience` is how long the operation may take, where that is longer than the listener's own limit.
    func pageContext(patience: Duration? = nil) -> CallContext {
        let browser = BrowserFacts(
            origin: request.headers.single("origin"), address: incoming.address.text,
            userAgent: request.headers.single("user-agent"))
        return context(languages, browser, patience: patience ?? .zero)
    }

    private var languages: [String] {
        AcceptLanguage.parse(request.headers.values("accept-language").joined(separator: ","))
    }
}
