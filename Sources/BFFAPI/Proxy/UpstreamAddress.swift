internal import Basics
internal import HTTPCore

/// Builds the address of a call to an API: the rest of the path after the route's is appended to the upstream's,
/// encoded anew.
///
/// The path was decoded once, so the API reads the same path that selected the route. Paths that servers are known to
/// read differently are refused: empty segments (many merge slashes), and segments that some servers do not take for
/// names (`FoldedPath`).
enum UpstreamAddress {
    static func make(
        _ route: ProxyRoute, _ path: RequestPath, query: Substring?
    ) throws(Problem) -> WebURL {
        let rest = path.segments.dropFirst(route.segments.count)
        var url = route.settings.upstream
        if !rest.isEmpty {
            var text = url.path
            if text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
            // The last segment may be empty: a slash at the end means something to some APIs.
            guard !rest.dropLast().contains(where: \.isEmpty) else { throw refused }
            for segment in rest {
                guard segment.isEmpty || !FoldedPath.isNoName(segment) else { throw refused }
                text += "/" + encode(segment)
            }
            url.path = text
        }
        url.query = try query.flatMap(checked)
        return url
    }

    /// The address of a repeated call for a transaction of AM's policies: with its id as the only `_txid`.
    static func repeating(_ url: WebURL, transaction id: String) -> WebURL {
        let others = url.query.flatMap(withoutTransactions) ?? ""
        var url = url
        url.query = (others.isEmpty ? "" : others + "&") + "_txid=" + PercentEncoding.encode(id)
        return url
    }

    /// A query without its transaction ids; nil when it is then empty.
    static func withoutTransactions(_ query: String) -> String? {
        let pairs = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        // Some servers end a parameter at a semicolon too.
        let others = pairs.filter { !$0.split(separator: UInt8(ascii: ";")).contains(where: isTransaction) }
        guard others.count < pairs.count else { return query }
        return others.isEmpty ? nil : others.map { String(Substring($0)) }.joined(separator: "&")
    }

    private static func isTransaction(_ pair: Substring.UTF8View) -> Bool {
        let name = PercentEncoding.decode(Substring(pair.prefix { $0 != UInt8(ascii: "=") }), plusIsSpace: true)
        return name?.isSameText(as: "_txid") ?? false
    }

    /// A segment with all but plain characters escaped; the semicolon too, because servers cut segments at it.
    private static func encode(_ segment: String) -> String {
        guard !segment.utf8.allSatisfy(isPlain) else { return segment }
        var text = ""
        for scalar in segment.unicodeScalars {
            let one = String(scalar)
            text += scalar.isASCII && isPlain(UInt8(scalar.value)) ? one : PercentEncoding.encode(one)
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,=:@".utf8.contains(byte)
    }

    /// A query as received, without transaction ids; refused when it cannot stand in a request or carries a token (RFC
    /// 6750 section 2.3): the caller never chooses the token or the transaction of a call.
    private static func checked(_ query: Substring) throws(Problem) -> String? {
        guard query.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }) else {
            throw Problem(.malformed, "The query cannot be read.")
        }
        guard try !TokenInQuery.isIn(query) else {
            throw Problem(.malformed, "The query carries an access token; calls are made with the session's own.")
        }
        return withoutTransactions(String(query))
    }

    /// The problem of every path that servers read differently; it tells neither the other reading nor its requirement.
    static var refused: Problem {
        Problem(.malformed, "The path is spelt in a way that servers read differently.")
    }
}
