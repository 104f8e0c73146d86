package import HTTPCore
internal import JSON

/// The members of an issuer's metadata document that a resource server uses (RFC 8414 section 2).
///
/// Each address is checked when it is asked for, so an unacceptable one fails only the callers that need it: a login
/// page on another origin does not matter to a caller that only fetches the issuer's keys.
package struct IssuerMetadata: Sendable, Equatable {
    /// `issuer`, exactly as configured.
    package let issuer: String
    private let keySet: Judged
    private let introspection: Judged

    /// A checked address, or the error of the check.
    private enum Judged: Sendable, Equatable {
        case address(WebURL?)
        case refused(DiscoveryError)
    }

    /// Reads a metadata document.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - location: Where the document came from, and which origins it may name.
    /// - Throws: `.issuerMismatch` before any other member is checked; `.missing` or `.malformed` for `issuer` itself.
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
