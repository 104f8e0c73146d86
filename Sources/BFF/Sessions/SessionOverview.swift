/// What a browser session holds, without any secret.
public struct SessionOverview: Sendable, Equatable {
    /// Whether any instance has tokens.
    public let isAuthenticated: Bool
    /// The accounts in use, in order; the default one is empty.
    public let accounts: [String]
    /// Every client's default account, and other accounts with something to show.
    public let instances: [Instance]
    /// The seconds until the session ends; nil without one.
    public let expiresIn: Seconds?

    /// One instance.
    public struct Instance: Sendable, Equatable {
        /// Client and account.
        public let name: InstanceName
        /// The product of its client.
        public let kind: ClientKind
        /// The subject that is signed in; nil for nobody.
        public let subject: String?
        /// Seconds until the access token ends; nil without one, or when the provider did not say.
        public let tokenExpiresIn: Int64?
        /// The ids of flows under way.
        public let flows: [String]
    }

    /// The seconds until a session ends.
    public struct Seconds: Sendable, Equatable {
        /// Unless it is used.
        public let idle: Int64
        /// In any case.
        public let absolute: Int64
    }
}
