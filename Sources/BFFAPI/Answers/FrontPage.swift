internal import Basics
internal import HTTPCore
internal import HTTPServer

/// A page for people who open the server's address in a browser: what runs there, and what to paste into a terminal.
///
/// For servers that stand alone, as the demo; where an application is served from the same address, that has the page.
package struct FrontPage: Sendable, Equatable {
    private let bytes: [UInt8]

    /// A page without scripts, styles or links.
    ///
    /// - Parameters:
    ///   - title: What runs here.
    ///   - paragraphs: What it is for.
    ///   - commands: Lines for a terminal.
    package init(title: String, paragraphs: [String], commands: String) {
        let (title, commands) = (HTMLText.escaped(title), HTMLText.escaped(commands))
        let text = paragraphs.map { "<p>\(HTMLText.escaped($0))</p>" }.joined(separator: "\n")
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
            <body><h1>\(title)</h1>
            \(text)
            <pre>\(commands)</pre></body></html>

            """
        bytes = Array(page.utf8)
    }

    /// Answers a browser that asks for the page, or for the icon that goes with it; nil for every other request.
    func answer(_ request: ServerRequest) -> OperationAnswer? {
        guard request.method == .get || request.method == .head else { return nil }
        // There is none, and a browser asks for it whatever the page says.
        if request.path.isSameText(as: "/favicon.ico") { return .empty([]) }
        let accepted = request.headers.values("accept").map { $0.lowercased() }
        // rule: the front page is for browsers
        guard request.path.isSameText(as: "/"), accepted.contains(where: { $0.firstRange(ofText: "text/html") != nil })
        else { return nil }
        return .page(
            bytes, policy: "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'", [])
    }
}
