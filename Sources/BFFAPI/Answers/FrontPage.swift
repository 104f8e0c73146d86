internal import Basics
internal import HTTPCore
internal import HTTPServer

/// A page for people who open the server's address in a browser: it says what runs there and what to paste into a
/// terminal.
///
/// For servers that stand alone, such as the demo; an application served from the same address has a page of its own.
package struct FrontPage: Sendable, Equatable {
    private let bytes: [UInt8]

    /// Makes a page without scripts, styles or links.
    ///
    /// - Parameters:
    ///   - title: The name of the program that runs here.
    ///   - paragraphs: The purpose of the program.
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

    /// Answers a browser's request for the page or for its icon; nil for every other request.
    func answer(_ request: ServerRequest) -> OperationAnswer? {
        guard request.method == .get || request.method == .head else { return nil }
        // The page has no icon, and browsers ask for one whatever the page says.
        if request.path.isSameText(as: "/favicon.ico") { return .empty([]) }
        let accepted = request.headers.values("accept").map { $0.lowercased() }
        // rule: the front page is for browsers
        guard request.path.isSameText(as: "/"), accepted.contains(where: { $0.firstRange(ofText: "text/html") != nil })
        else { return nil }
        return .page(
            bytes, policy: "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'", [])
    }
}
