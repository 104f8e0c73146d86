internal import BFF
internal import JSON

/// Writes nodes as JSON documents of the REST API.
enum NodeDocument {
    /// The answer with a node; a page that may be polled also sets `Retry-After`.
    static func answer(_ node: FlowNode, _ cookie: CookieChange) -> OperationAnswer {
        guard case .page(let page) = node.state else { return .reply(document(node), cookie) }
        return .reply(document(node), cookie, retryAfter: page.nextPollIn)
    }

    /// The document of a node.
    static func document(_ node: FlowNode) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        switch node.state {
        case .page(let page):
            head(page.refusal == nil ? "continue" : "error", node, &writer)
            write(page, &writer)
        case .failure(let reason, let message, let more):
            head("failure", node, &writer)
            writer.member("reason", reason)
            if let message { writer.member("message", message) }
            for (name, value) in more { writer.member(name, value: value) }
        case .success(let user):
            head("success", node, &writer)
            if node.isCrossBrowser { writer.member("crossBrowser", true) }
            writer.member("signedIn", user != nil)
            if let user {
                writer.member("user")
                writer.raw(UserDocument.document(user))
            }
        }
        writer.endObject()
        return writer.bytes
    }

    private static func head(_ type: String, _ node: FlowNode, _ writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("kind", node.kind.rawValue)
        if let flow = node.flow { writer.member("flow", flow) }
    }

    private static func write(_ page: FlowNode.Page, _ writer: inout JSONWriter) {
        writer.member("step", Int64(page.step))
        writer.member("expiresIn", page.expiresIn)
        if page.isCrossBrowser { writer.member("crossBrowser", true) }
        if let purpose = page.purpose { writer.member("for", purpose) }
        if let refusal = page.refusal {
            writer.member("message", refusal.message)
            writer.member("details", value: .array(refusal.details))
        }
        for (name, value) in page.members { writer.member(name, value: value) }
    }
}
