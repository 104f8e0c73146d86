internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The rules for addresses that act once, such as `go`; a refused request consumes nothing.
extension CallerRules {
    /// Requires a page that the user opens: no prefetch, no part of another page, and begun by the application or by
    /// hand.
    func checkIsOpenedByUser(_ request: ServerRequest) throws(Problem) {
        try checkIsNotPrefetch(request)
        try checkIsPage(request)
        try checkIsBegunHere(request)
    }

    /// Refuses prefetches: browsers that load a page before the user asks for it send one of these fields, and no other
    /// request has them.
    private func checkIsNotPrefetch(_ request: ServerRequest) throws(Problem) {
        guard ["sec-purpose", "purpose", "x-purpose", "x-moz"].allSatisfy({ request.headers.count($0) == 0 }) else {
            throw Problem(.csrf, "The browser says that it looks ahead of the user.")
        }
    }

    /// Refuses images, frames and requests of scripts; a browser that sends no `Sec-Fetch-…` fields is an old one and
    /// passes.
    private func checkIsPage(_ request: ServerRequest) throws(Problem) {
        guard request.headers.values("sec-fetch-dest").allSatisfy({ $0.isSameText(as: "document") }),
            request.headers.values("sec-fetch-mode").allSatisfy({ $0.isSameText(as: "navigate") })
        else { throw Problem(.csrf, "Only a page that the user opens leaves; the browser says that this is none.") }
    }

    /// Refuses images, frames, links and prefetches, which a foreign text on a page of ours may cause; a browser
    /// that sends no `Sec-Fetch-…` fields is an old one and passes.
    func checkIsRead(_ request: ServerRequest) throws(Problem) {
        try checkIsNotPrefetch(request)
        guard request.headers.values("sec-fetch-dest").allSatisfy({ $0.isSameText(as: "empty") }),
            request.headers.values("sec-fetch-mode").allSatisfy({
                $0.isSameText(as: "cors") || $0.isSameText(as: "same-origin")
            })
        else { throw Problem(.csrf, "Only a script reads events; the browser says that this is none.") }
    }

    /// Requires that a page of ours or the user's own input began the navigation; of other origins only a listed one of
    /// the same site may, named by its `Referer`, because a navigation has no `Origin`.
    private func checkIsBegunHere(_ request: ServerRequest) throws(Problem) {
        for site in request.headers.values("sec-fetch-site") {
            if site.isSameText(as: "same-origin") || site.isSameText(as: "none") { continue }
            if site.isSameText(as: "same-site"), let page = request.headers.single("referer").flatMap({ WebURL($0) }),
                crossOrigin.lists(page.origin)
            {
                continue
            }
            throw Problem(.csrf, "Only the application sends its users away; the browser says that this was not it.")
        }
    }
}
