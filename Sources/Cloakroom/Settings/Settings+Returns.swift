internal import BFFAPI
internal import HTTPCore
internal import ProductKit

extension Settings {
    /// The address of each client to which other sites send users back, to be registered at these sites.
    public var returnAddresses: [(client: String, address: String)] {
        clients.map { ($0.name, "\(api.publicURL.origin)\(api.basePath)/\($0.name)/return") }
    }
}
