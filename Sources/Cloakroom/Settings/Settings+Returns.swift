internal import BFFAPI
internal import HTTPCore

extension Settings {
    /// The address of each client that other sites send users back to, to be registered there.
    public var returnAddresses: [(client: String, address: String)] {
        clients.map { ($0.name, "\(api.publicURL.origin)\(api.basePath)/\($0.name)/return") }
    }
}
