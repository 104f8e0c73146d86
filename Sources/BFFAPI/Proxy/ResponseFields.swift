internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The header fields of an API's answer on their way down: an allow-list, as for those on the way up, and what the route
/// lists besides.
///
/// What nobody has thought of cannot act on our origin, on the browser's session or on a proxy in front of us.
enum ResponseFields {
    /// The names, in lower case, of fields that say what the answer is, and when to ask again.
    private static let allowed: Set<String> = [
        // Representation and range (RFC 9110 sections 8, 14 and 15), digests of it (RFC 9530).
        "content-type", "content-language", "content-encoding", "content-disposition", "content-range", "accept-ranges",
        "last-modified", "etag", "vary", "content-digest", "repr-digest",
        // What else can be done with it (RFC 9110, RFC 5789, RFC 7240, RFC 8288, RFC 8594, RFC 9745).
        "allow", "accept-patch", "preference-applied", "link", "sunset", "deprecation",
        // When to ask again.
        "retry-after", "ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
    ]
    /// What goes by another setting.
    private static let caching: Set<String> = ["cache-control", "expires", "pragma", "age", "surrogate-control"]

    /// The most bytes of header fields that are passed on; a connection of ours has room for them and some more.
    static let limit = 32 * 1024

    /// What scripts of listed origins may read besides what they may read of every answer.
    private static let readable = ["Content-Disposition", "Content-Range", "ETag", "Link", "Location"]

    /// The same for an answer with these fields: what a route lists is for scripts.
    static func readable(in fields: [ResponseHeader]) -> [String] {
        readable
            + fields.map(\.name).filter { name in
                let name = name.lowercased()
                return !allowed.contains(name) && !caching.contains(name) && !name.isSameText(as: "location")
            }
    }

    /// - Parameters:
    ///   - response: The answer of the API.
    ///   - route: What the route lets pass.
    /// - Returns: What goes to the browser, without the fields that every answer has.
    static func make(_ response: ClientResponse, _ route: RouteSettings) -> [ResponseHeader] {
        let hopByHop = RequestFields.connectionNames(response.fields[values: .connection])
        var headers: [ResponseHeader] = []
        headers.reserveCapacity(response.fields.count + 1)
        var saysCaching = false
        for field in response.fields {
            let name = field.name.canonicalName
            guard !hopByHop.contains(name) else { continue }
            if caching.contains(name) {
                guard route.keepsCacheControl else { continue }
                saysCaching = saysCaching || name.isSameText(as: "cache-control")
            } else if !allowed.contains(name) {
                guard route.answerHeaders.contains(field.name), !ReservedFields.answers.contains(field.name) else {
                    continue
                }
            }
            headers.append(ResponseHeader(field))
        }
        if !saysCaching { headers.append(ResponseHeader("Cache-Control", "private, no-store")) }
        return headers
    }
}
