package import HTTPCore

/// Addresses of AM, for checks of a configuration before it is used.
extension Journey {
    /// The address of a realm's OpenID discovery document (OpenID Connect Discovery 1.0 section 4).
    ///
    /// The document of the root realm is directly below `/oauth2`, like the issuer that the document names.
    ///
    /// - Parameters:
    ///   - serverURL: AM's address with its deployment path.
    ///   - realm: The realm in any spelling that `JourneyConfig.realm` takes; all spellings give the same address.
    /// - Returns: nil when the name cannot be a realm.
    package static func discoveryAddress(serverURL: WebURL, realm: String) -> WebURL? {
        RealmPath(realm).map { realm in
            let place = realm.isRoot ? "/oauth2" : "/oauth2/\(realm.text)"
            return serverURL.appending(path: place + "/.well-known/openid-configuration")
        }
    }

    /// The address where AM publishes the name of its session cookie.
    package var serverInfoAddress: WebURL { settings.cookie.address }
}
