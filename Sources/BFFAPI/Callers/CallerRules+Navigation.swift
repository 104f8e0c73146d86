internal import Basics
internal import HTTPCore
internal import HTTPServer

/// Who may open an address that does something once, as `go` does. A refused request spends nothing.
extension CallerRules {
    /// A page that the user opens: no prefetch, no part of another page, and begun here.
    func checkIsOpenedByUser(_ request: ServerRequest) throws(Problem) {
        try checkIsNotPrefetch(request)
        try checkIsPage(request)
        try checkIsBegunHere(request)
    }

    /// Browsers load pages before anybody has asked for them, and say so by one of these fields; nothing else has them.
    private func checkIsNotPrefetch(_ request: ServerRequest) throws(Problem) {
        guard ["sec-purpose", "purpose", "x-purpose", "x-moz"].allSatisfy({ request.headers.count($0) == 0 }) else {
            throw Problem(.csrf, "Only the user leaves; the browser says that it looks ahead.")
        }
    }

    /// An image, a frame or a script's request is no page; a browser that does not say is an old one.
    private func checkIsPage(_ request: ServerRequest) throws(Problem) {
        guard request.headers.values("sec-fetch-dest").allSatisfy({ $0.isSameText(as: "document") }),
            request.headers.values("sec-fetch-mode").allSatisfy({ $0.isSameText(as: "navigate") })
        else { throw Problem(.csrf, "Only a page that the user opens leaves; the browser says that this is none.") }
    }

    /// A page of ours leads here, or the user by hand; of another origin only a listed one of the same site, which its
    /// `Referer` names, because a navigation has no `Origin`.
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
