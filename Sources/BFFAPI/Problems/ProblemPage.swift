internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// The page at the address that a problem has as its `type` (RFC 9457 section 3.1.1): the same for all callers, as HTML
/// for people and as JSON for programs.
enum ProblemPage {
    /// The path below which each type has its page; no route may cover it.
    static let path = "/problems"
    /// The route of these pages in log lines.
    static let route = "/problems/{name}"

    /// Answers a request for such a page.
    ///
    /// - Returns: nil for any other request.
    /// - Throws: `.notFound` for a name that is not a type, `.methodNotAllowed`.
    static func answer(_ request: ServerRequest) throws(Problem) -> OperationAnswer? {
        guard request.path.starts(withText: path + "/") else { return nil }
        guard let type = ProblemType(rawValue: String(request.path.dropFirst(path.count + 1))) else {
            throw Problem(.notFound)
        }
        guard request.method == .get || request.method == .head else {
            var problem = Problem(.methodNotAllowed)
            problem.headers = [ResponseHeader("Allow", "GET, HEAD")]
            throw problem
        }
        return wantsJSON(request)
            ? .document(mediaType: "application/json", json(type))
            : .document(mediaType: "text/html; charset=utf-8", html(type))
    }

    /// True if the caller accepts JSON but not HTML; browsers name HTML.
    private static func wantsJSON(_ request: ServerRequest) -> Bool {
        let accepted = request.headers.values("accept").map { $0.lowercased() }
        return accepted.contains { $0.firstRange(ofText: "json") != nil }
            && !accepted.contains { $0.firstRange(ofText: "text/html") != nil }
    }

    private static func json(_ type: ProblemType) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("type", path + "/" + type.rawValue)
        writer.member("title", "\(type.title)")
        writer.member("status", Int64(type.status))
        writer.member("detail", "\(type.detail)")
        writer.endObject()
        return writer.bytes
    }

    private static func html(_ type: ProblemType) -> [UInt8] {
        let (title, detail) = (HTMLText.escaped("\(type.title)"), HTMLText.escaped("\(type.detail)"))
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
            <body><h1>\(title)</h1><p>\(detail)</p><p>Status \(type.status), <code>\(path)/\(type.rawValue)</code></p></body></html>

            """
        return Array(page.utf8)
    }
}
