package import BFFAPI
package import ProductKit

extension APISettings {
    /// The origins at which browsers see the server and its pages.
    package var pages: PageOrigins {
        PageOrigins(publicURL: publicURL, corsOrigins: corsOrigins, insecureHTTP: insecureHTTP)
    }
}
