internal import Basics
internal import HTTPCore

/// Where a call goes: what follows the route's path is put behind the upstream's, encoded anew.
///
/// The path was decoded once, so what the API reads is what the route was chosen by. What servers are known to read
/// differently is refused: empty segments (many merge slashes) and dot segments with parameters (`..;`).
enum UpstreamAddress {
    static func make(
        _ route: ProxyRoute, _ path: RequestPath, query: Substring?
    ) throws(Problem) -> WebURL {
        let rest = path.segments.dropFirst(route.segments.count)
        var url = route.settings.upstream
        if !rest.isEmpty {
            var text = url.path
            if text.hasSuffix("/") { text.removeLast() }
            // The last one may be empty: a slash at the end means something to some APIs.
            guard !rest.dropLast().contains(where: \.isEmpty) else { throw refused }
            for segment in rest {
                let name = segment.prefix { $0 != ";" }
                guard name != ".", name != ".." else { throw refused }
                text += "/" + encode(segment)
            }
            url.path = text
        }
        url.query = try query.map(checked)
        return url
    }

    /// The address of a call that is repeated for a transaction of AM's policies: its id as `_txid`, and no other one.
    static func repeating(_ url: WebURL, transaction id: String) -> WebURL {
        var pairs = (url.query ?? "").split(separator: "&").filter { pair in
            PercentEncoding.decode(pair.prefix { $0 != "=" }, plusIsSpace: true) != "_txid"
        }
        let own = "_txid=" + PercentEncoding.encode(id)
        pairs.append(own[...])
        var url = url
        url.query = pairs.joined(separator: "&")
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

    private static var refused: Problem {
        Problem(.malformed, "The path holds empty or dot segments, which servers read differently.")
    }
}
