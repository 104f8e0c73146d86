internal import Basics
internal import HTTPCore

/// Compares the sites of addresses, as browsers do before they send a `SameSite=Strict` cookie.
enum Site {
    /// True if a page of one address may send the cookie of the other: the scheme is the same, and both hosts are below
    /// one registrable name.
    ///
    /// Only the Public Suffix List knows the registrable names. Without it the last two labels have to be equal, and
    /// the last three below a country's `co`, `com` and the like; the browser refuses a pair that this accepts by
    /// mistake.
    static func isShared(_ one: WebURL, _ other: WebURL) -> Bool {
        guard one.scheme == other.scheme else { return false }
        let (first, second) = (one.host.lowercased(), other.host.lowercased())
        if first == second { return true }
        guard !isAddress(first), !isAddress(second) else { return false }
        guard let site = site(first) else { return false }
        return site == self.site(second)
    }

    /// The first label of the part of a host that has one owner, which browsers count in a document of related origins.
    ///
    /// Like `isShared` it is a guess without the Public Suffix List.
    static func label(_ host: String) -> String {
        let host = host.lowercased()
        return String((site(host) ?? host).split(byte: ".").first ?? "")
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
