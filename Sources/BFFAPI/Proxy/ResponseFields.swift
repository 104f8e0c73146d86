internal import Basics
internal import HTTPCore
internal import HTTPServer

/// The header fields of an API's answer that go to the browser: an allow-list and the fields that the route lists.
///
/// An allow-list, so that no unknown field can act on our origin, on the browser's session or on a proxy in front of
/// us.
enum ResponseFields {
    /// The names of fields that describe the answer or say when to ask again.
    private static let allowed: Set<HTTPField.Name> = [
        // Representation and range (RFC 9110 sections 8, 14 and 15), digests of it (RFC 9530).
        "content-type", "content-language", "content-encoding", "content-disposition", "content-range", "accept-ranges",
        "last-modified", "etag", "vary", "content-digest", "repr-digest",
        // Other facts about the resource (RFC 9110, RFC 5789, RFC 7240, RFC 8288, RFC 8594, RFC 9745).
        "allow", "accept-patch", "preference-applied", "link", "sunset", "deprecation",
        // When to ask again.
        "retry-after", "ratelimit", "ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset",
        "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
    ]
    /// The fields that `keepsCacheControl` passes on.
    private static let caching: Set<HTTPField.Name> = [
        "cache-control", "expires", "pragma", "age", "surrogate-control",
    ]

    /// The most bytes of header fields that are passed on; a connection to the browser has room for these and some
    /// more beside the longest head of a request, with the copy of its cookies.
    static let limit = 16 * 1024

    /// The fields that scripts of listed origins may read besides those of every answer.
    private static let readable = ["Content-Disposition", "Content-Range", "ETag", "Link", "Location"]

    /// The names that scripts of listed origins may read of an answer with these fields: those of every API answer and
    /// those that the route lists.
    static func readable(in fields: [ResponseHeader]) -> [String] {
        readable
            + fields.map(\.name).filter { text in
                guard let name = try? HTTPField.Name(checking: text) else { return true }
                return !allowed.contains(name) && !caching.contains(name) && name != .location
            }
    }

    /// - Parameters:
    ///   - response: The answer of the API.
    ///   - route: The settings of the route.
    /// - Returns: The fields for the browser, without those that every answer has.
    static func make(_ response: ClientResponse, _ route: RouteSettings) -> [ResponseHeader] {
        let hopByHop = RequestFields.connectionNames(response.fields[values: .connection])
        var headers: [ResponseHeader] = []
        headers.reserveCapacity(response.fields.count + 1)
        var saysCaching = false
        for field in response.fields {
            let name = field.name
            guard hopByHop.isEmpty || !hopByHop.contains(name.canonicalName) else { continue }
            if caching.contains(name) {
                guard route.keepsCacheControl else { continue }
                saysCaching = saysCaching || name == .cacheControl
            } else if !allowed.contains(name) {
                guard route.answerHeaders.contains(name), !ReservedFields.answers.contains(name) else { continue }
            }
            headers.append(ResponseHeader(field))
        }
        if !saysCaching { headers.append(ResponseHeader("Cache-Control", "private, no-store")) }
        return headers
    }
}
