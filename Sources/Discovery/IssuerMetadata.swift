package import HTTPCore
internal import JSON

/// What an issuer says about itself as far as a resource server uses it (RFC 8414 section 2).
///
/// An address is judged by whoever needs it: that the login page of an issuer is on another origin is of no concern to
/// those who only look at its keys.
package struct IssuerMetadata: Sendable, Equatable {
    /// `issuer`, exactly as configured.
    package let issuer: String
    private let keySet: Judged
    private let introspection: Judged

    /// An address, or what is wrong with it.
    private enum Judged: Sendable, Equatable {
        case address(WebURL?)
        case refused(DiscoveryError)
    }

    /// Reads a metadata document.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - location: Where it came from and what it may say.
    /// - Throws: `.issuerMismatch` before anything else is looked at; `.missing` or `.malformed` for `issuer` itself.
    init(_ json: JSONObject, from location: ProviderLocation) throws(DiscoveryError) {
        issuer = try ProviderMetadata.checkIssuer(json, location)
        let addresses = try AddressReader(json, location, issuer: issuer)
        keySet = Self.judge(addresses, "jwks_uri")
        introspection = Self.judge(addresses, "introspection_endpoint")
    }

    private static func judge(_ addresses: AddressReader, _ name: String) -> Judged {
        do throws(DiscoveryError) {
            return .address(try addresses.optional(name))
        } catch {
            return .refused(error)
        }
    }

    /// `jwks_uri`.
    ///
    /// - Throws: `.missing`, `.malformed` or `.addressRefused`, naming it.
    package func keySetAddress() throws(DiscoveryError) -> WebURL {
        switch keySet {
        case .address(let address?): return address
        case .address(nil): throw .missing(member: "jwks_uri")
        case .refused(let error): throw error
        }
    }

    /// `introspection_endpoint`.
    ///
    /// - Throws: `.missing`, `.malformed` or `.addressRefused`, naming it.
    package func introspectionEndpoint() throws(DiscoveryError) -> WebURL {
        switch introspection {
        case .address(let address?): return address
        case .address(nil): throw .missing(member: "introspection_endpoint")
        case .refused(let error): throw error
        }
    }
}
