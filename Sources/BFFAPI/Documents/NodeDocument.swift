internal import BFF
internal import Basics
internal import JSON

/// Writes nodes as JSON documents of the REST API.
enum NodeDocument {
    /// The document of a node; `base` is the path that the operations of its instance begin with.
    static func document(_ node: FlowNode, at base: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        switch node.state {
        case .page(let page):
            head(page.refusal == nil ? "continue" : "error", node, &writer)
            write(page, base, &writer)
        case .failure(let reason, let message, let more):
            head("failure", node, &writer)
            writer.member("reason", reason)
            if let message { writer.member("message", message) }
            if let entries = more.entries { writer.member("details", value: .array(entries)) }
            if !more.exposed.isEmpty { writer.member("detail", value: .object(more.exposed)) }
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

    private static func write(_ page: FlowNode.Page, _ base: String, _ writer: inout JSONWriter) {
        writer.member("step", Int64(page.step))
        writer.member("expiresIn", page.expiresIn)
        if page.isCrossBrowser { writer.member("crossBrowser", true) }
        if let purpose = page.purpose { writer.member("for", purpose) }
        if let refusal = page.refusal {
            writer.member("message", refusal.message)
            writer.member("details", value: .array(refusal.details))
        }
        for (name, value) in page.shown.heading { writer.member(name, value: value) }
        writer.member(page.shown.questionsName)
        writer.beginArray()
        for question in page.shown.questions { write(question, base, &writer) }
        writer.endArray()
        if page.shown.isSuspended { writer.member("suspended", true) }
    }

    private static func write(_ question: ShownPage.Question, _ base: String, _ writer: inout JSONWriter) {
        let isPlain = question.answer == nil && !question.isWithheld
        guard !isPlain || question.nextPollIn != nil || question.departure != nil else {
            return writer.value(.object(question.shown))
        }
        writer.beginObject()
        for (name, value) in question.shown {
            if question.isWithheld, name.isSameText(as: "publicKey") { continue }
            let answer = name.isSameText(as: "answer") ? question.answer : nil
            writer.member(name, value: answer.map { .object($0) } ?? value)
        }
        if let wait = question.nextPollIn { writer.member("nextPollIn", wait.milliseconds) }
        if let departure = question.departure { writer.member("go", "\(base)/go/\(departure)") }
        writer.endObject()
    }
}
