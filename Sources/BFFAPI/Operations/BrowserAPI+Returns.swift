internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

extension BrowserAPI {
    /// The longest form or query that another site may send along, in bytes.
    private static let returnLimit = 8192
    /// The query of a form that a page of ours has posted again: it is not answered with another such page.
    private static let again = "again"

    /// `GET {instance}/go/{handle}`: sends the user to another site, once.
    func leave(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let known = try cookie.readReturn(call.request)
        let leaving = try await asking(call) { () throws(BFFError) in
            try await backend.returns.leave(call.instance, call.flow, cookie: known, call.context())
        }
        switch leaving {
        case .expired(let target): return .redirect(address(of: target, "return=expired"), [])
        case .to(let departure, let value):
            let cookie = [try cookie.setReturn(value, life: ReturnSettings.away)]
            guard let form = departure.form else { return .redirect(departure.address, cookie) }
            // A provider on this machine has no TLS.
            let local = WebURL(departure.address).flatMap { $0.scheme == .http ? " " + $0.origin : nil } ?? ""
            return .page(
                PostingPage.html(departure.address, form), policy: PostingPage.policy(formAction: "https:" + local),
                cookie)
        }
    }

    /// `GET {client}/return`: takes in a returning browser, with a query.
    func comeBack(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let cookie = try cookie.readReturn(call.request)
        return try await takeIn(try Self.fields(call.request.query ?? ""), cookie, call)
    }

    /// `POST {client}/return`: takes in a returning browser, with a form.
    ///
    /// Browsers send no cookie with a form of another site. Such a form is answered with a page that posts the fields
    /// known to the client again, from our own origin; the server stores none of them.
    func comeBackByForm(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let request = call.request
        guard let type = request.headers.single("content-type").flatMap({ MediaType(parsing: $0) }),
            type.essence.isSameText(as: "application/x-www-form-urlencoded"),
            request.headers.count("content-encoding") == 0
        else { throw Problem(.unsupportedMediaType, "The body must be a form.") }
        let body: [UInt8]
        do { body = try await request.body.collect(upTo: Self.returnLimit) } catch { throw Problem(error) }
        guard let text = String(validating: body, as: UTF8.self) else { throw Self.unreadable }
        let fields = try Self.fields(text[...])
        // A SAML response belongs to the provider, which alone can judge it.
        guard !fields.contains(where: { $0.name.isSameText(as: "SAMLResponse") }) else {
            throw Problem(.malformed, "A SAML response belongs to the provider's own address.")
        }
        let cookie = try cookie.readReturn(request)
        if cookie == nil, request.query != Self.again[...] {
            let known = try known(fields, call)
            guard known.isEmpty else { return Self.postAgain(known, to: String(request.path)) }
        }
        return try await takeIn(fields, cookie, call)
    }

    /// The page that posts a form again, to the path that it was sent to.
    private static func postAgain(_ fields: [Departure.Field], to path: String) -> OperationAnswer {
        .page(PostingPage.html(path + "?" + again, fields), policy: PostingPage.policy(formAction: "'self'"), [])
    }

    private func known(_ fields: [Departure.Field], _ call: OperationCall) throws(Problem) -> [Departure.Field] {
        do { return try backend.returns.known(fields, at: call.instance) } catch { throw Problem(error) }
    }

    private func takeIn(
        _ fields: [Departure.Field], _ cookie: String?, _ call: OperationCall
    ) async throws(Problem) -> OperationAnswer {
        let arrival = try await asking(call) { () throws(BFFError) in
            try await backend.returns.arrive(call.instance, fields, cookie: cookie)
        }
        let news = arrival.handle.map { "resume=" + $0 } ?? "return=no-pending-return"
        return .redirect(address(of: arrival.target, news), [])
    }

    /// `POST {instance}/resume`.
    func resumeFlow(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        switch try ResumeBody(try await members(call), own: startMembers) {
        case .handle(let handle, let flow):
            try rates.checkFlow(flow, call.cookies)
            let cookie = try cookie.readReturn(call.request)
            let reply = try await asking(call) { () throws(BFFError) in
                try await backend.returns.resume(
                    call.instance, flow: flow, handle: handle, cookie: cookie,
                    call.pageContext(patience: backend.patience(of: call.instance)))
            }
            return answer(reply.content, reply.cookie, to: call)
        case .link(let start):
            try rates.checkNewSession(call.request)
            return try await begin(start, call)
        }
    }

    /// The address of a page of the application; the part after the `#` never leaves the browser.
    private func address(of target: String, _ news: String) -> String {
        settings.publicURL.origin + target + "#" + news
    }

    private static var unreadable: Problem { Problem(.malformed, "What the other site sent cannot be read.") }

    private static func fields(_ text: Substring) throws(Problem) -> [Departure.Field] {
        guard text.utf8.count <= returnLimit, let parameters = QueryParameters(parsing: text, limit: 64) else {
            throw unreadable
        }
        return parameters.pairs.map { Departure.Field(name: $0.name, value: $0.value) }
    }
}
