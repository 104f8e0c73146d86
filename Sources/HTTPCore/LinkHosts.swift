internal import Basics

/// The hosts a browser may be sent to on behalf of a provider, each at its listed port.
public struct LinkHosts: Sendable, Equatable {
    /// The longest address in bytes.
    public static let longestAddress = 8192

    private var authorities: Set<String> = []
    private var allowsLoopback = false

    /// Makes an empty list, which allows no host.
    public init() {}

    /// Makes the list from the hosts of a configuration.
    ///
    /// - Parameters:
    ///   - hosts: Each as `accounts.example.com` or, with a port other than 443, as `accounts.example.com:8443`; an
    ///     entry that is no host is left out.
    ///   - insecureLoopback: True to allow http for an address of this machine.
    public init(_ hosts: [String], insecureLoopback: Bool = false) {
        allowsLoopback = insecureLoopback
        authorities = Set(hosts.compactMap { Self.authority($0) })
    }

    /// A list with one more host, given in the form of `WebURL.authority`.
    public func adding(_ authority: String) -> LinkHosts {
        var copy = self
        copy.authorities.insert(authority)
        return copy
    }

    /// The form in which hosts are compared; nil for a text that is not a host with an optional port.
    public static func authority(_ host: String) -> String? {
        guard let url = WebURL("https://" + host), url.path.isSameText(as: "/"), url.query == nil,
            !host.ends(withText: "/")
        else { return nil }
        return url.authority
    }

    /// Parses an address and checks that a browser may be sent there.
    ///
    /// - Parameter address: The address as the provider wrote it.
    /// - Returns: nil unless it is absolute, https (http on this machine where that is allowed), without user information
    ///   and fragment, no longer than `longestAddress` and on one of the hosts.
    public func allowed(_ address: String) -> WebURL? {
        guard address.utf8.count <= Self.longestAddress, let url = WebURL(address), authorities.contains(url.authority),
            url.scheme == .https || allowsLoopback && url.isLoopback
        else { return nil }
        return url
    }
}
