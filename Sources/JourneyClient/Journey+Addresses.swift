package import HTTPCore

/// Addresses of AM, for those who check a configuration before it serves.
extension Journey {
    /// The OpenID discovery document of a realm (OpenID Connect Discovery 1.0 section 4).
    ///
    /// That of the root realm lies right below `/oauth2`, as the issuer that it names.
    ///
    /// - Parameters:
    ///   - serverURL: AM's address with its deployment path.
    ///   - realm: The realm in any spelling that `JourneyConfig.realm` takes; all of them give one address.
    /// - Returns: nil when the name cannot be a realm.
    package static func discoveryAddress(serverURL: WebURL, realm: String) -> WebURL? {
        RealmPath(realm).map { realm in
            let place = realm.isRoot ? "/oauth2" : "/oauth2/\(realm.text)"
            return serverURL.appending(path: place + "/.well-known/openid-configuration")
        }
    }

    /// Where AM publishes the name of its session cookie.
    package var serverInfoAddress: WebURL { settings.cookie.address }
}
