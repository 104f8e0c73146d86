internal import Basics
internal import HTTPCore

/// The site of an address: what browsers compare before they send a `SameSite=Strict` cookie along.
enum Site {
    /// Whether a page of one address may send the cookie of the other: the same scheme, and hosts below one name that
    /// somebody can own.
    ///
    /// Which names those are only the Public Suffix List says. Without it the last two labels have to be equal, and three
    /// below a country's `co`, `com` and the like; what that lets through by mistake is refused by the browser.
    static func isShared(_ one: WebURL, _ other: WebURL) -> Bool {
        guard one.scheme == other.scheme else { return false }
        let (first, second) = (one.host.lowercased(), other.host.lowercased())
        if first == second { return true }
        guard !isAddress(first), !isAddress(second) else { return false }
        guard let site = site(first) else { return false }
        return site == self.site(second)
    }

    /// The part of a name that has one owner; nil for a name of one label, which is its own site.
    private static func site(_ host: String) -> String? {
        let labels = host.split(byte: ".")
        guard labels.count >= 2 else { return nil }
        let isCountry = labels[labels.count - 1].utf8.count == 2
        let count = isCountry && categories.contains(String(labels[labels.count - 2])) ? 3 : 2
        return labels.count >= count ? labels.suffix(count).joined(separator: ".") : nil
    }

    private static let categories: Set<String> = [
        "ac", "co", "com", "edu", "gob", "gouv", "gov", "gv", "ne", "net", "or", "org",
    ]

    private static func isAddress(_ host: String) -> Bool {
        host.starts(withText: "[") || host.utf8.contains(UInt8(ascii: ":"))
            || host.split(byte: ".").last?.utf8.allSatisfy(\.isDigit) == true
    }
}
