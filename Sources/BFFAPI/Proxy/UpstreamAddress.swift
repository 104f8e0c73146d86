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
        url.query = try query.map(checked)
        return url
    }

    /// The address of a call that is repeated for a transaction of AM's policies: its id as `_txid`, and no other one.
    static func repeating(_ url: WebURL, transaction id: String) -> WebURL {
        let others = (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }.filter { pair in
            let name = PercentEncoding.decode(
                Substring(pair.utf8.prefix { $0 != UInt8(ascii: "=") }), plusIsSpace: true)
            return !(name?.isSameText(as: "_txid") ?? false)
        }
        var url = url
        url.query = (others + ["_txid=" + PercentEncoding.encode(id)]).joined(separator: "&")
        return url
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

    /// A query goes on as it came, unless it cannot stand in a request or brings a token of its own (RFC 6750 section
    /// 2.3): which token a call is made with is never the caller's choice.
    private static func checked(_ query: Substring) throws(Problem) -> String {
        guard query.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }) else {
            throw Problem(.malformed, "The query cannot be read.")
        }
        guard try !TokenInQuery.isIn(query) else {
            throw Problem(.malformed, "The query carries an access token; calls are made with the session's own.")
        }
        return String(query)
    }

    /// For every path that has more than one reading; which one it has, and what that asks for, is not said.
    static var refused: Problem {
        Problem(.malformed, "The path is spelt in a way that servers read differently.")
    }
}
