internal import Basics
internal import HTTPCore

/// An operation with its method and path.
struct Route: Sendable {
    let operation: Operation
    let method: HTTPMethod
    /// The path with names in braces, as in the contract; safe for logs because it holds no text of a request.
    let template: String
    let parts: [Part]

    /// One segment of a path.
    enum Part: Sendable, Equatable {
        /// This word exactly.
        case word(String)
        /// A client for an account: `standard`, `standard:alice`; or a client alone.
        case instance
        /// The id of a flow or of a session, or a handle; any text matches.
        case flow
    }

    init(_ operation: Operation, _ method: HTTPMethod, _ template: String) {
        self.operation = operation
        self.method = method
        self.template = template
        parts = template.split(byte: "/").map { part in
            if ["{instance}", "{client}"].contains(where: part.isSameText) { return .instance }
            return ["{flow}", "{handle}", "{sessionId}"].contains(where: part.isSameText) ? .flow : .word(String(part))
        }
    }

    /// The path at which browsers register the key of their device, after the base path.
    static let devicePath = "/device"
    /// The path at which browsers prove their device, after the base path.
    static let deviceProofPath = "/device/refresh"

    /// All routes of the public listener; those of devices are served where sessions may be bound.
    static func all(under base: String) -> [Route] {
        [
            Route(.getUser, .get, base + "/{instance}/user"),
            Route(.getSession, .get, base + "/session"),
            Route(.streamEvents, .get, base + "/events"),
            Route(.answerStep, .post, base + "/{instance}/next"),
            Route(.startFlow, .post, base + "/{instance}/start"),
            Route(.getFlow, .get, base + "/{instance}/flows/{flow}"),
            Route(.cancelFlow, .delete, base + "/{instance}/flows/{flow}"),
            Route(.resumeFlow, .post, base + "/{instance}/resume"),
            Route(.leave, .get, base + "/{instance}/go/{handle}"),
            Route(.comeBack, .get, base + "/{client}/return"),
            Route(.comeBackByForm, .post, base + "/{client}/return"),
            Route(.refreshToken, .post, base + "/{instance}/token/refresh"),
            Route(.revokeToken, .post, base + "/{instance}/token/revoke"),
            Route(.logoutInstance, .post, base + "/{instance}/logout"),
            Route(.logoutBrowser, .post, base + "/logout"),
            Route(.bindDevice, .post, base + devicePath),
            Route(.proveDevice, .post, base + deviceProofPath),
            Route(.listSessions, .get, base + "/{instance}/sessions"),
            Route(.endOtherSessions, .delete, base + "/{instance}/sessions"),
            Route(.endSession, .delete, base + "/{instance}/sessions/{sessionId}"),
            Route(.takeLogoutToken, .post, base + "/{client}/backchannel-logout"),
            Route(.getContract, .get, "/openapi.yaml"),
            Route(.getRelatedOrigins, .get, "/.well-known/webauthn"),
            Route(.getPasskeyEndpoints, .get, "/.well-known/passkey-endpoints"),
        ]
    }
}
