package import HTTPCore
internal import JSON

/// The documents about passkeys that browsers and password managers fetch from fixed addresses.
package struct PasskeySettings: Sendable, Equatable {
    /// Origins of other sites that may use passkeys of this host, exactly as browsers write them;
    /// `server.webAuthn.relatedOrigins`, default none.
    package var relatedOrigins: [String] = []
    /// The page on which a user creates a passkey; `server.passkeyEndpoints.enroll`, default none.
    package var enroll: WebURL?
    /// The page on which a user manages passkeys; `server.passkeyEndpoints.manage`, default none.
    package var manage: WebURL?

    /// Makes settings without documents.
    package init() {}

    /// The number of labels that browsers read, each the name of a site without its public suffix; they ignore the
    /// origins of every further one.
    static let labels = 5

    /// The different labels of `relatedOrigins` (Web Authentication Level 3, 'Validating Related Origins').
    var countedLabels: Set<String> {
        Set(relatedOrigins.compactMap { WebURL($0) }.map { Site.label($0.host) })
    }

    /// The document at `/.well-known/webauthn`; nil without origins.
    var relatedOriginsDocument: [UInt8]? {
        guard !relatedOrigins.isEmpty else { return nil }
        return JSONValue.object(["origins": .array(relatedOrigins.map(JSONValue.string))]).serialized()
    }

    /// The document at `/.well-known/passkey-endpoints`, with the pages that are set; nil without a page.
    var endpointsDocument: [UInt8]? {
        var members: JSONObject = [:]
        members["enroll"] = enroll.map { .string($0.text) }
        members["manage"] = manage.map { .string($0.text) }
        return members.isEmpty ? nil : JSONValue.object(members).serialized()
    }
}
