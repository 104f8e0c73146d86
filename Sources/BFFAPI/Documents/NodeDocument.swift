internal import BFF
internal import JSON

/// Nodes as the REST API has them, in JSON.
enum NodeDocument {
    static func document(_ node: FlowNode) -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        switch node.state {
        case .page(let page):
            head(page.refusal == nil ? "continue" : "error", node, &writer)
            write(page, &writer)
        case .failure(let reason, let message):
            head("failure", node, &writer)
            writer.member("reason", reason)
            if let message { writer.member("message", message) }
        case .success(let user):
            head("success", node, &writer)
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
        if let refusal = page.refusal {
            writer.member("message", refusal.message)
            writer.member("details", value: .array(refusal.details))
        }
        for (name, value) in page.members { writer.member(name, value: value) }
    }
}
