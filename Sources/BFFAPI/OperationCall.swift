internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

/// One request to one operation, with what was read of it once.
struct OperationCall: Sendable {
    let incoming: IncomingCall
    let operation: Operation
    /// The instance that the path names; empty when it names none.
    let instance: String
    /// The flow or the handle that the path names; empty when it names none.
    let flow: String
    /// Our cookies, once the request is admitted.
    var cookies = SentCookies()

    var request: ServerRequest { incoming.request }

    /// A use case gives up this long before the listener does, so that it can say why.
    private static let margin = Duration.milliseconds(500)

    /// What the use case gets of the request.
    func context(
        _ languages: [String] = [], _ browser: BrowserFacts = BrowserFacts(), patience: Duration = .zero
    ) -> CallContext {
        CallContext(
            cookie: cookies.session, startCookie: cookies.start, languages: languages, browser: browser,
            deadline: max(request.deadline, request.began + patience) - Self.margin, requestID: incoming.id,
            address: incoming.address.text, began: request.began)
    }

    /// The same where a page may come of it: with what the provider may be told of the browser.
    ///
    /// `patience` is how long it may take, where that is longer than the listener's own limit.
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
