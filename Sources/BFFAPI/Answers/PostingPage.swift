internal import BFF
internal import Basics
internal import Cryptography

/// A page that posts its form at once; without scripts the user presses a button.
enum PostingPage {
    /// Not the form's own `submit`, because a field named `submit` would replace it.
    private static let script = "HTMLFormElement.prototype.submit.call(document.forms[0])"

    /// The content security policy of the page: its one script and the target of its form; nothing else is loaded or
    /// run, and no page may frame it.
    ///
    /// - Parameter formAction: The allowed targets of the form, as a CSP source list. Browsers check redirects of the
    ///   answer against it too, so it cannot name a single site elsewhere (CSP Level 3, 'form-action').
    /// - Returns: The value of `Content-Security-Policy`.
    static func policy(formAction: String) -> String {
        let hash = Base64.encode(Digest.hash(Array(script.utf8)))
        return "default-src 'none'; script-src 'sha256-\(hash)'; form-action \(formAction); base-uri 'none'; "
            + "frame-ancestors 'none'"
    }

    /// The page as it is sent.
    ///
    /// - Parameters:
    ///   - address: The target of the form.
    ///   - fields: The fields of the form.
    /// - Returns: HTML in UTF-8.
    static func html(_ address: String, _ fields: [Departure.Field]) -> [UInt8] {
        var page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Continue</title></head>
            <body><form method="post" action="\(HTMLText.escaped(address))">

            """
        for field in fields {
            page += "<input type=\"hidden\" name=\"\(HTMLText.escaped(field.name))\""
            page += " value=\"\(HTMLText.escaped(field.value))\">\n"
        }
        page += "<button>Continue</button></form><script>\(script)</script></body></html>\n"
        return Array(page.utf8)
    }
}
