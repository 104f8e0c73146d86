/// What a browser session holds, without any secret.
package struct SessionOverview: Sendable, Equatable {
    /// Whether any instance has tokens.
    package let isAuthenticated: Bool
    /// The accounts in use, in order; the default one is empty.
    package let accounts: [String]
    /// Every client's default account, and other accounts with something to show.
    package let instances: [Instance]
    /// The seconds until the session ends; nil without one.
    package let expiresIn: Seconds?

    /// What the session holds of one instance.
    package struct Instance: Sendable, Equatable {
        /// Client and account.
        package let name: InstanceName
        /// The product of its client.
        package let kind: ClientKind
        /// The subject that is signed in; nil for nobody.
        package let subject: String?
        /// Seconds until the access token ends; nil without one, or when the provider did not say.
        package let tokenExpiresIn: Int64?
        /// How many flows are under way.
        ///
        /// Their ids are capabilities: only the answers of a flow tell its id.
        package let flows: Int
        /// Whether its provider session is held, which may bring tokens without the user.
        package let hasProviderSession: Bool
    }

    /// The seconds until a session ends.
    package struct Seconds: Sendable, Equatable {
        /// Unless it is used.
        package let idle: Int64
        /// In any case.
        package let absolute: Int64
    }
}
