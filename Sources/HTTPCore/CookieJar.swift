public import Basics

/// The cookies set by another server, kept between requests to it (RFC 6265 sections 5.3 and 5.4).
///
/// A value type, stored with the flow or session it belongs to; bounded in number and size.
public struct CookieJar: Sendable, Equatable, Codable {
    /// The largest number of cookies kept; the oldest is removed first.
    public static let capacity = 50

    /// One cookie with the places it may be sent to.
    struct Entry: Sendable, Equatable, Codable {
        let name: String
        let value: String
        let domain: String
        let hostOnly: Bool
        let path: String
        let secure: Bool
        let expires: Timestamp?
    }

    /// The cookies in order of creation.
    private(set) var entries: [Entry] = []

    /// Makes an empty jar.
    public init() {}

    /// Makes a jar of cookies from a stored jar.
    init(entries: [Entry]) {
        self.entries = entries
    }

    /// True if the jar holds no cookie.
    public var isEmpty: Bool { entries.isEmpty }

    /// True if both jars hold the same values for the same places; expiry times are ignored.
    public func hasSameValues(as other: CookieJar) -> Bool {
        func places(_ jar: CookieJar) -> Set<[[UInt8]]> {
            Set(jar.entries.map { [$0.name, $0.value, $0.domain, $0.path].map { Array($0.utf8) } })
        }
        return places(self) == places(other)
    }

    /// The number of cookies held, including expired ones until the next `store`.
    public var count: Int { entries.count }

    /// The names of the cookies held.
    public var names: [String] { entries.map(\.name) }

    /// The values of the cookies held.
    package var values: [String] { entries.map(\.value) }

    /// Stores every `Set-Cookie` field of an answer.
    public mutating func store(_ fields: HTTPFields, from url: WebURL, now: Timestamp) {
        for field in fields[values: .setCookie] {
            if let cookie = SetCookie(parsing: field) { store(cookie, from: url, now: now) }
        }
    }

    /// Stores one cookie, replacing an older one of the same name, domain and path, or removes it.
    ///
    /// - Returns: False if the cookie was rejected: it is for another host, or secure on an insecure connection.
    @discardableResult
    public mutating func store(_ cookie: SetCookie, from url: WebURL, now: Timestamp) -> Bool {
        guard !cookie.secure || url.isSecureEnough, cookie.keepsPrefix else { return false }
        var domain = url.host
        var hostOnly = true
        if let wanted = cookie.domain, !wanted.isSameText(as: url.host) {
            // Without a list of public suffixes, only a single label (`com`) can be recognized as one.
            guard Self.matches(host: url.host, domain: wanted), wanted.utf8.contains(UInt8(ascii: ".")), !url.isAddress
            else {
                return false
            }
            (domain, hostOnly) = (wanted, false)
        } else if cookie.domain != nil, !url.isAddress {
            hostOnly = false
        }
        let path = cookie.path ?? Self.defaultPath(url.path)
        let entry = Entry(
            name: cookie.name, value: cookie.value, domain: domain, hostOnly: hostOnly, path: path,
            secure: cookie.secure, expires: cookie.end(from: now))
        entries.removeAll { $0.expires.map { $0 <= now } ?? false }
        let older = entries.firstIndex {
            $0.name.isSameText(as: entry.name) && $0.domain.isSameText(as: domain) && $0.path.isSameText(as: path)
        }
        switch (older, cookie.isRemoval(at: now)) {
        case (let older?, true): entries.remove(at: older)
        case (let older?, false): entries[older] = entry
        case (nil, true): break
        case (nil, false):
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append(entry)
        }
        return true
    }

    /// Adds the cookies of another jar; a cookie of the same name, domain and path is replaced in place.
    public mutating func merge(_ other: CookieJar) {
        for entry in other.entries {
            let older = entries.firstIndex {
                $0.name.isSameText(as: entry.name) && $0.domain.isSameText(as: entry.domain)
                    && $0.path.isSameText(as: entry.path)
            }
            if let older { entries[older] = entry } else { entries.append(entry) }
        }
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
    }

    /// The `Cookie` field for a request; nil when no cookie matches.
    ///
    /// Longer paths come first, then older cookies, as section 5.4 asks.
    ///
    /// - Parameters:
    ///   - url: The address of the request.
    ///   - now: The time that decides which cookies have expired.
    ///   - names: Cookies to leave out, because the request already carries a cookie of that name or must not.
    /// - Returns: The cookies, joined.
    public func header(for url: WebURL, now: Timestamp, without names: Set<String> = []) -> String? {
        let matching = entries.enumerated().filter {
            !names.contains($0.element.name) && belongs($0.element, to: url, now: now)
        }
        if matching.isEmpty { return nil }
        return matching.sorted { left, right in
            (right.element.path.utf8.count, left.offset) < (left.element.path.utf8.count, right.offset)
        }.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
    }

    /// The value of the cookie of that name that would be sent first to the address; nil when there is none.
    public func value(_ name: String, for url: WebURL, now: Timestamp) -> String? {
        entries.filter { $0.name.isSameText(as: name) && belongs($0, to: url, now: now) }
            .max { $0.path.utf8.count < $1.path.utf8.count }?.value
    }

    /// Removes all cookies but the ones of these names.
    public mutating func keep(_ names: some Collection<String>) {
        entries.removeAll { !names.contains($0.name) }
    }

    private func belongs(_ entry: Entry, to url: WebURL, now: Timestamp) -> Bool {
        if let expires = entry.expires, expires <= now { return false }
        if entry.secure && !url.isSecureEnough { return false }
        let host =
            entry.hostOnly ? entry.domain.isSameText(as: url.host) : Self.matches(host: url.host, domain: entry.domain)
        return host && Self.matches(path: url.path, prefix: entry.path)
    }

    /// True if a host is the domain or a subdomain of it (section 5.1.3).
    static func matches(host: String, domain: String) -> Bool {
        host.isSameText(as: domain) || host.ends(withText: "." + domain)
    }

    /// True if a path is the prefix or below it, at a slash (section 5.1.4).
    static func matches(path: String, prefix: String) -> Bool {
        path.isSameText(as: prefix) || path.starts(withText: prefix.ends(withText: "/") ? prefix : prefix + "/")
    }

    /// The path of a cookie without a `Path`: up to, but not including, the last slash (section 5.1.4).
    static func defaultPath(_ path: String) -> String {
        guard path.starts(withText: "/"), let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            slash != path.startIndex
        else { return "/" }
        return String(path[..<slash])
    }
}

extension CookieJar: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the number of cookies.
    public var description: String { "\(count) cookies" }
    /// Shows the number of cookies.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the jar prints no values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
