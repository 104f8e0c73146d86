package import Sessions

/// The contents of a browser session, without any secret.
package struct SessionOverview: Sendable, Equatable {
    /// True if any instance has tokens.
    package let isAuthenticated: Bool
    /// The accounts in use, sorted; the default account is the empty string.
    package let accounts: [String]
    /// The default account of every client, and other accounts that have tokens or a flow.
    package let instances: [Instance]
    /// The seconds until the session ends; nil without a session.
    package let expiresIn: Seconds?

    /// The relation to the device of the browser; nil where sessions are not bound to devices.
    package internal(set) var device: DeviceState?

    /// The part of the session that belongs to one instance.
    package struct Instance: Sendable, Equatable {
        /// The client and the account.
        package let name: InstanceName
        /// The product of the client.
        package let kind: ProductName
        /// The subject that is signed in; nil if no user is.
        package let subject: String?
        /// Seconds until the access token ends; nil without one, or when the provider did not say.
        package let tokenExpiresIn: Int64?
        /// The number of flows in progress.
        ///
        /// Their ids are capabilities: only the answers of a flow contain its id.
        package let flows: Int
        /// True if the provider session of the instance is kept, which may bring tokens without the user.
        package let hasProviderSession: Bool
    }

    /// The seconds until a session ends.
    package struct Seconds: Sendable, Equatable {
        /// The seconds until the idle timeout.
        package let idle: Int64
        /// The seconds until the session ends regardless of use.
        package let absolute: Int64
    }
}
