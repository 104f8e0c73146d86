internal import Basics
internal import HTTPCore
internal import JSON
internal import Orchestrate

/// Makes a node from PingOne's answer to a request of a flow.
struct DaVinciAnswer {
    /// The largest page, in bytes.
    static let longestPage = 262_144
    /// The most fields of a page.
    static let mostFields = 200

    private let response: Response
    /// The page that the request answered; nil at a start.
    private let page: DaVinciPage?
    private let forms: KnownPages<DaVinciForm>
    private let flow: String?

    init(_ response: Response, to page: DaVinciPage?, _ forms: KnownPages<DaVinciForm>, of flow: String?) {
        self.response = response
        self.page = page
        self.forms = forms
        self.flow = flow
    }

    /// The body of the request if it is JSON: the answers of a step; a start and a return have none.
    private var sent: JSONValue? { try? JSONValue(parsing: response.request.body) }

    /// The node of the answer; the links of its page are not checked here.
    ///
    /// - Throws: `EngineError`, or the `DaVinciFlowError` that ended the flow.
    func node() throws -> Node {
        switch response.status {
        case 200..<300: return try stepOrSuccess(try object())
        case 300..<400:
            let location = response.header("Location").map { Secret($0) }
            let error = EngineError.unexpectedRedirect(status: response.status, location: location)
            // At a start, a redirect to PingOne's own sign-on page means that the start does not fit the application's
            // settings. After a page of the flow, a redirect says nothing about settings.
            if page != nil, let check = error.davinci?.check { throw DaVinciFlowError(.providerUnavailable, check) }
            throw error
        case 400..<500: return .error(try refusal(try object()))
        default:
            if page == nil, let code = (try? response.json()).map({ Self.code(of: .object($0)) }),
                code == "UNEXPECTED_ERROR"
            {
                // The application's policy is not a DaVinci policy.
                throw DaVinciFlowError(.configuration, "status \(response.status), code \(code)")
            }
            throw EngineError.unexpectedStatus(response.status, excerpt: response.excerpt)
        }
    }

    private func object() throws -> JSONObject {
        do {
            if let object = try JSONValue(parsing: response.body).object { return object }
        } catch JSONError.depth {
            throw DaVinciFlowError(.pageTooLarge, "depth of the JSON: 64")
        } catch JSONError.tooLarge {
            throw DaVinciFlowError(.pageTooLarge, "page: 256 KiB")
        } catch JSONError.tooManyMembers {
            throw DaVinciFlowError(.pageTooLarge, "members of the JSON")
        } catch {}
        throw EngineError.malformed(status: response.status, excerpt: response.excerpt)
    }

    // MARK: 2xx

    private func stepOrSuccess(_ body: JSONObject) throws -> Node {
        let status = body["status"]?.string?.lowercased()
        // rule: an answer with an error is no success
        if status == "failed" || status == "failure" || Self.isError(body["error"]) { throw failure(body) }
        if let answer = body["authorizeResponse"]?.object { return .success(try success(body, answer)) }
        if ["rewindStateToLastRenderedUI", "rewindStateToSpecificRenderedUI"].contains(body["eventName"]?.string) {
            guard let page else { throw DaVinciFlowError(.pollFailed, "a rewind without a page") }
            return .continue(try rewound(page).node)
        }
        guard body["_links"]?["next"]?["href"]?.string != nil else { throw stranded(body) }
        return .continue(try shown(body).node)
    }

    /// The page that the request answered, shown again.
    private func rewound(_ page: DaVinciPage) throws(DaVinciFlowError) -> DaVinciPage {
        let kept = page.keeping(sent)
        let wasLast = sent?["parameters"]?["eventType"] == "polling" && page.poll?.retriesLeft == 1
        guard wasLast else { return kept.polledOnce }
        // The flow was told that the wait is over, and would be told so again for ever.
        // rule: a page that cannot be answered is not polled for ever
        guard page.isAnswerable else { throw DaVinciFlowError(.pollFailed, "a rewind after the last poll") }
        return kept.polledOut
    }

    /// True for an error that is not empty: some answers carry an empty object.
    private static func isError(_ error: JSONValue?) -> Bool {
        error?.object.map { !$0.isEmpty } ?? error?.string.map { !$0.isEmpty } ?? false
    }

    private func failure(_ body: JSONObject) -> DaVinciFlowError {
        let error = body["error"] ?? .object(body)
        let code = error.string ?? Self.code(of: error)
        let check = "code \(Self.printable(code))"
        return switch code {
        case "login_required", "interaction_required": DaVinciFlowError(.loginRequired, check)
        case "invalid_request", "invalid_scope", "unauthorized_client", "invalid_client", "unsupported_response_type":
            DaVinciFlowError(page == nil ? .configuration : .providerRefused, check)
        case "userSessionMismatch": DaVinciFlowError(.accountMismatch, check)
        default: DaVinciFlowError(.providerRefused, check)
        }
    }

    private func success(_ body: JSONObject, _ answer: JSONObject) throws -> SuccessNode {
        // rule: a success has a code
        guard let code = answer["code"]?.string, !code.isEmpty else {
            throw DaVinciFlowError(.providerUnavailable, "a success without code")
        }
        let input = JSONValue.object(body)
        return SuccessNode(
            input: input, session: DaVinciSession(value: Secret(Self.sessionName(in: input) ?? code)))
    }

    /// The session id in a success; nil when it has none.
    static func sessionName(in success: JSONValue) -> String? {
        success["session"]?["id"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The error for an answer that is not a page: at a start, the application has no DaVinci policy.
    private func stranded(_ body: JSONObject) -> DaVinciFlowError {
        let check = "an answer without next link\(body["resumeUrl"] == nil ? "" : ", with resumeUrl")"
        return DaVinciFlowError(page == nil ? .configuration : .providerUnavailable, check)
    }

    private func shown(_ body: JSONObject) throws -> DaVinciPage {
        // rule: a page of DaVinci has no more than 256 KiB
        guard response.body.count <= Self.longestPage else { throw DaVinciFlowError(.pageTooLarge, "page: 256 KiB") }
        let form = body["form"]
        let components = form?["components"]
        // rule: inputs count as fields | components?["fields"]?.array?.count ?? 0
        let fields = (components?["fields"]?.array?.count ?? 0) + (components?["inputs"]?.array?.count ?? 0)
        // A page with far more fields would take long to read.
        // rule: a page of DaVinci has no more than 200 fields
        guard fields <= Self.mostFields else { throw DaVinciFlowError(.pageTooLarge, "fields: 200") }
        let shown = DaVinciPage(body, known: forms, sentTo: flow)
        // Both are sent on unchanged, as header and cookie, so they must be valid values.
        for name in ["interactionId", "interactionToken"] where !CookieHeader.isValue(body[name]?.string ?? "") {
            throw DaVinciFlowError(.providerUnavailable, "\(name) is no value of a header")
        }
        if form?.object != nil { return shown }
        if body["screen"] != nil {
            throw DaVinciFlowError(.configuration, "a page of HTML: x-requested-with was lost on the way")
        }
        if DaVinciPage.message(body) != nil { return shown }
        // After a button or a poll the flow may go on by itself; otherwise the user would see an empty page.
        if ["action", "polling"].contains(sent?["parameters"]?["eventType"]?.string) { return shown }
        throw DaVinciFlowError(page == nil ? .configuration : .providerRefused, "a page without form")
    }

    // MARK: 4xx

    private func refusal(_ body: JSONObject) throws -> ErrorNode {
        let code = Self.code(of: .object(body))
        if code == "1999" || code == "requestTimedOut" {
            throw DaVinciFlowError(.interactionExpired, "status \(response.status), code \(code)")
        }
        // rule: another user's session ends a flow
        if code == "userSessionMismatch" { throw DaVinciFlowError(.accountMismatch, "code \(code)") }
        let ends = ["returnSuccessResponseRedirect", "setSession"]
        if body["connectorId"] == "pingOneAuthenticationConnector", ends.contains(body["capabilityName"]?.string ?? "")
        {
            throw DaVinciFlowError(.providerRefused, "status \(response.status) of the success node")
        }
        let message = body["message"]?.string ?? ""
        return ErrorNode(
            status: response.status, input: .object(body), message: message.trimmed.shortened(to: 1024),
            page: page?.keeping(sent).node)
    }

    /// The code of a refusal, from a text or a number; at most 64 bytes, printable.
    static func code(of body: JSONValue) -> String {
        let code = body["code"]
        return printable(code?.string ?? code?.int.map { String($0) } ?? "")
    }

    private static func printable(_ text: String) -> String {
        // rule: a code in a log is short and printable | text
        String(decoding: text.utf8.prefix(64).map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
}

extension String {
    /// The text without leading and trailing whitespace.
    var trimmed: String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        var scalars = unicodeScalars.drop(while: isBlank)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return String(scalars)
    }
}
