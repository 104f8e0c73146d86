internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

extension BrowserAPI {
    /// The most bytes that another site may send along.
    private static let returnLimit = 8192
    /// The parameter that names a form which was kept.
    private static let entry = "entry"

    /// `GET {instance}/go/{handle}`: out, once.
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
            let local = WebURL(departure.address).flatMap { $0.scheme == .http ? $0.origin : nil }
            return .page(
                DeparturePage.html(departure.address, form), policy: DeparturePage.policy(besides: local), cookie)
        }
    }

    /// `GET {client}/return`: back, with a query or with a form that was kept.
    func comeBack(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let cookie = try cookie.readReturn(call.request)
        var parameters = try Self.parameters(call.request.query ?? "")
        if let entry = parameters.single(Self.entry),
            let form = try await asking(call, { () throws(BFFError) in try await backend.returns.form(entry) })
        {
            parameters = try Self.parameters(String(decoding: form, as: UTF8.self)[...])
        }
        let fields = parameters.pairs.map { Departure.Field(name: $0.name, value: $0.value) }
        let arrival = try await asking(call) { () throws(BFFError) in
            try await backend.returns.arrive(call.instance, fields, cookie: cookie)
        }
        let news = arrival.handle.map { "resume=" + $0 } ?? "return=no-pending-return"
        return .redirect(address(of: arrival.target, news), [])
    }

    /// `POST {client}/return`: a form of another site, with which no cookie comes; it is kept, and the browser asks again.
    func comeBackByForm(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let request = call.request
        guard let type = request.headers.single("content-type").flatMap({ MediaType(parsing: $0) }),
            type.essence.isSameText(as: "application/x-www-form-urlencoded"),
            request.headers.count("content-encoding") == 0
        else { throw Problem(.unsupportedMediaType, "The body must be a form.") }
        try rates.checkForm(request)
        let body: [UInt8]
        do { body = try await request.body.collect(upTo: Self.returnLimit) } catch { throw Problem(error) }
        guard let text = String(validating: body, as: UTF8.self) else { throw Self.unreadable }
        // It belongs to the provider, which alone can judge it.
        guard try Self.parameters(text[...]).all("SAMLResponse").isEmpty else {
            throw Problem(.malformed, "A SAML response belongs to the provider's own address.")
        }
        let entry = try await asking(call) { () throws(BFFError) in try await backend.returns.keep(body) }
        return .redirect(settings.publicURL.origin + request.path + "?\(Self.entry)=" + entry, [])
    }

    /// `POST {instance}/resume`.
    func resumeFlow(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        switch try ResumeBody(try await members(call)) {
        case .handle(let handle):
            if let flow = Returns.flow(ofHandle: handle) { try rates.checkFlow(flow, call.cookies) }
            let reply = try await asking(call) { () throws(BFFError) in
                try await backend.returns.resume(
                    call.instance, handle, call.pageContext(patience: backend.patience(of: call.instance)))
            }
            return NodeDocument.answer(reply.content, reply.cookie)
        case .link(let start):
            try rates.checkNewSession(call.request)
            return try await begin(start, call)
        }
    }

    /// A page of the application; what follows the `#` never leaves the browser.
    private func address(of target: String, _ news: String) -> String {
        settings.publicURL.origin + target + "#" + news
    }

    private static var unreadable: Problem { Problem(.malformed, "What the other site sent cannot be read.") }

    private static func parameters(_ text: Substring) throws(Problem) -> QueryParameters {
        guard text.utf8.count <= returnLimit, let parameters = QueryParameters(parsing: text, limit: 64) else {
            throw unreadable
        }
        return parameters
    }
}
