package import BFF
package import Basics
package import HTTPCore
package import Logs
package import OpenIDConnect

/// The parts of which a product builds a client.
package struct ClientParts: Sendable {
    /// The settings of the client.
    package let client: ClientSettings
    /// The origins of the pages.
    package let pages: PageOrigins
    /// The client's OpenID registration.
    package let openID: OpenIDClient
    /// Makes the calls of flows.
    package let transport: any HTTPTransport
    /// The state about the provider that outlives a reload, as the product's `makeMemory()` made it.
    package let memory: any Sendable
    /// The program's own changes to the client's configuration.
    package let changes: ConfigChanges
    package let time: any TimeSource
    package let logger: Logger

    /// Collects the parts.
    package init(
        client: ClientSettings, pages: PageOrigins, openID: OpenIDClient, transport: any HTTPTransport,
        memory: any Sendable, changes: ConfigChanges, time: any TimeSource, logger: Logger
    ) {
        self.client = client
        self.pages = pages
        self.openID = openID
        self.transport = transport
        self.memory = memory
        self.changes = changes
        self.time = time
        self.logger = logger
    }

    /// Completes a configuration that has the client's settings: the program's changes, then what stays the server's.
    package func complete<Config: ProductConfig>(_ config: inout Config) {
        changes.apply(to: &config, of: client.name)
        config.timeout = client.timeout
        config.transport = transport
        config.time = time
        config.logger = logger
        config.oidc(openID)
    }

    /// The rules for WebAuthn credentials on the client's pages.
    package var credentials: CredentialRules { client.webAuthn.rules(pages) }

    /// The log with the client's name in each line.
    package var ownLogger: Logger {
        var own = logger
        own[metadataKey: "client"] = .string(client.name)
        return own
    }
}

/// A client that cannot be built of its settings.
package struct ClientBuildError: Error {
    /// The problem, for the operator.
    package let cause: String

    /// Makes the problem.
    package init(_ cause: String) {
        self.cause = cause
    }
}

/// The origins at which browsers see the server and the pages that use it.
package struct PageOrigins: Sendable, Equatable {
    /// The address at which browsers see the server.
    package let publicURL: WebURL
    /// The origins of pages elsewhere that may call the server.
    package let corsOrigins: [String]
    /// True if links may lead to this machine over http.
    package let insecureHTTP: Bool

    /// Makes the origins.
    package init(publicURL: WebURL, corsOrigins: [String], insecureHTTP: Bool) {
        self.publicURL = publicURL
        self.corsOrigins = corsOrigins
        self.insecureHTTP = insecureHTTP
    }
}

/// Changes that a program makes to the configurations of clients, after the settings were applied.
package struct ConfigChanges: Sendable {
    private struct Change<Config>: Sendable {
        let client: String?
        let configure: @Sendable (inout Config) -> Void
    }

    private var changes: [any Sendable] = []
    /// The names of the clients that are changed by name.
    package private(set) var clients: [String] = []

    /// Makes no changes.
    package init() {}

    /// Adds a change to the configuration of a client; nil for all clients whose product has such a configuration.
    package mutating func add<Config>(_ client: String?, _ configure: @escaping @Sendable (inout Config) -> Void) {
        changes.append(Change(client: client, configure: configure))
        if let client { clients.append(client) }
    }

    /// Applies the changes to the configuration of a client.
    package func apply<Config>(to config: inout Config, of client: String) {
        for case let change as Change<Config> in changes where change.client == nil || change.client == client {
            change.configure(&config)
        }
    }
}
