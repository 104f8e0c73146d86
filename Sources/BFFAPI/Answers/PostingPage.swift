internal import BFF
internal import Basics
internal import Cryptography

/// A page that posts its form at once; without scripts there is a button.
enum PostingPage {
    /// Not the form's own `submit`, in whose place a field of that name would stand.
    private static let script = "HTMLFormElement.prototype.submit.call(document.forms[0])"

    /// The one script and where the form goes; nothing else is loaded, shown elsewhere or run.
    ///
    /// - Parameter formAction: Where it may go, in the words of CSP. Browsers hold the redirects of the answer against it too,
    ///   so it cannot name one site elsewhere (CSP Level 3, 'form-action').
    /// - Returns: The value of `Content-Security-Policy`.
    static func policy(formAction: String) -> String {
        let hash = Base64.encode(Digest.hash(Array(script.utf8)))
        return "default-src 'none'; script-src 'sha256-\(hash)'; form-action \(formAction); base-uri 'none'; "
            + "frame-ancestors 'none'"
    }

    /// The page as it is sent.
    ///
    /// - Parameters:
    ///   - address: Where the form goes.
    ///   - fields: What is in it.
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
