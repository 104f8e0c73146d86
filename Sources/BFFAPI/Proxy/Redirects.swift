internal import Basics
internal import HTTPCore

/// Maps an address of the API to a path of the route, so that the browser never sees or follows an internal address.
enum Redirects {
    /// - Parameters:
    ///   - location: A URI reference as the API sent it (RFC 9110 section 10.2.2).
    ///   - sent: The address of the call.
    ///   - route: The route of the call.
    /// - Returns: A path on our origin; nil when the address is not inside the route.
    static func mapped(_ location: String, _ sent: WebURL, _ route: RouteSettings) -> String? {
        let parts = location.split(byte: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let target = resolve(parts[0], sent), target.origin.isSameText(as: route.upstream.origin),
            let rest = rest(of: target.path, below: route.upstream.path)
        else { return nil }
        guard let path = try? RequestPath(Substring(route.path + rest)),
            !path.segments.dropLast().contains(where: \.isEmpty)
        else { return nil }
        let fragment = parts.count == 2 && parts[1].utf8.allSatisfy(isVisible) ? "#" + parts[1] : ""
        return route.path + rest + (target.query.map { "?" + $0 } ?? "") + fragment
    }

    private static func resolve(_ reference: Substring, _ base: WebURL) -> WebURL? {
        guard reference.utf8.allSatisfy(isVisible) else { return nil }
        if reference.starts(withText: "//") { return WebURL("\(base.scheme.rawValue):\(reference)") }
        if reference.starts(withText: "/") { return WebURL(base.origin + reference) }
        if reference.isEmpty { return base }
        if reference.starts(withText: "?") { return WebURL(base.origin + base.path + reference) }
        // A colon before the first slash makes it a scheme.
        if let colon = reference.utf8.firstIndex(of: UInt8(ascii: ":")),
            !reference[..<colon].utf8.contains(UInt8(ascii: "/"))
        {
            return WebURL(reference)
        }
        let folder = base.path[...(base.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? base.path.startIndex)]
        return WebURL(base.origin + folder + reference)
    }

    /// The part of the path after the upstream's path, on whole segments; begins with a slash or is empty, nil outside
    /// the upstream.
    private static func rest(of path: String, below prefix: String) -> String? {
        let prefix = prefix.ends(withText: "/") ? String(prefix.dropLast()) : prefix
        if path.isSameText(as: prefix) { return "" }
        return path.starts(withText: prefix + "/") ? String(path.dropFirst(prefix.count)) : nil
    }

    private static func isVisible(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\\")
    }
}
