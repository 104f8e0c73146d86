internal import Basics
internal import HTTPCore

/// Where a call goes: what follows the route's path is put behind the upstream's, encoded anew.
///
/// The path was decoded once, so what the API reads is what the route was chosen by. What servers are known to read
/// differently is refused: empty segments (many merge slashes), and what is no name to some (`FoldedPath`).
enum UpstreamAddress {
    static func make(
        _ route: ProxyRoute, _ path: RequestPath, query: Substring?
    ) throws(Problem) -> WebURL {
        let rest = path.segments.dropFirst(route.segments.count)
        var url = route.settings.upstream
        if !rest.isEmpty {
            var text = url.path
            if text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
            // The last one may be empty: a slash at the end means something to some APIs.
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

    /// The address of a call that is repeated for a transaction of AM's policies: its id as `_txid`, and no other one.
    static func repeating(_ url: WebURL, transaction id: String) -> WebURL {
        let others = url.query.flatMap(withoutTransactions) ?? ""
        var url = url
        url.query = (others.isEmpty ? "" : others + "&") + "_txid=" + PercentEncoding.encode(id)
        return url
    }

    /// A query as it came but for ids of transactions; nil when nothing is left of it.
    static func withoutTransactions(_ query: String) -> String? {
        let pairs = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        // Some servers end a parameter at a semicolon, too.
        let others = pairs.filter { !$0.split(separator: UInt8(ascii: ";")).contains(where: isTransaction) }
        guard others.count < pairs.count else { return query }
        return others.isEmpty ? nil : others.map { String(Substring($0)) }.joined(separator: "&")
    }

    private static func isTransaction(_ pair: Substring.UTF8View) -> Bool {
        let name = PercentEncoding.decode(Substring(pair.prefix { $0 != UInt8(ascii: "=") }), plusIsSpace: true)
        return name?.isSameText(as: "_txid") ?? false
    }

    /// Everything but plain characters is escaped; a semicolon too, because servers cut segments at it.
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

    /// A query goes on as it came but for transactions, unless it cannot stand in a request or brings a token of its own (RFC
    /// 6750 section 2.3): which token a call is made with, and for which transaction, is never the caller's choice.
    private static func checked(_ query: Substring) throws(Problem) -> String? {
        guard query.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }) else {
            throw Problem(.malformed, "The query cannot be read.")
        }
        guard try !TokenInQuery.isIn(query) else {
            throw Problem(.malformed, "The query carries an access token; calls are made with the session's own.")
        }
        return withoutTransactions(String(query))
    }

    /// For every path that has more than one reading; which one it has, and what that asks for, is not said.
    static var refused: Problem {
        Problem(.malformed, "The path is spelt in a way that servers read differently.")
    }
}
