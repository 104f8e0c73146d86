internal import BFF
internal import HTTPCore
internal import OpenIDConnect
internal import ProductKit
internal import SettingsKit

/// Checks that clients which share a storage agree on its content: a session storage has one provider; a token storage
/// has one client id, set of scopes and minimum.
struct SharedStorages {
    private let clients: [ClientSettings]
    private let context: ReadingContext

    init(_ clients: [ClientSettings], _ context: ReadingContext) {
        self.clients = clients
        self.context = context
    }

    func check() {
        for (place, client) in clients.enumerated() {
            let earlier = clients[..<place]
            if let problem = otherKind(client, earlier) {
                context.report("clients.\(client.name).\(problem.key)", problem.message)
                continue
            }
            if let other = earlier.first(where: { sessions(of: $0) == sessions(of: client) }),
                provider(other) != provider(client)
            {
                context.report(
                    "clients.\(client.name).sessionStorage",
                    "is shared with '\(other.name)', which has another \(type(of: client.product).providerKeys)")
            }
            if let other = earlier.first(where: { tokens(of: $0) == tokens(of: client) }) {
                let different = differences(client, other)
                guard !different.isEmpty else { continue }
                context.report(
                    "clients.\(client.name).tokenStorage",
                    "is shared with '\(other.name)', which has another \(different.joined(separator: " and "));"
                        + " name a tokenStorage of its own")
            }
        }
    }

    /// Finds a storage that a client of another product also uses, whose records one of the two could not use.
    private func otherKind(
        _ client: ClientSettings, _ earlier: ArraySlice<ClientSettings>
    ) -> (key: String, message: String)? {
        for (key, name) in [("sessionStorage", client.sessionStorage), ("tokenStorage", client.tokenStorage)] {
            guard let name,
                let other = earlier.first(where: {
                    $0.product.word != client.product.word && [$0.sessionStorage, $0.tokenStorage].contains(name)
                })
            else { continue }
            return (
                key,
                "is used by '\(other.name)', which is a client of type \(other.product.word); '\(client.name)' is of type "
                    + "\(client.product.word)"
            )
        }
        return nil
    }

    /// The differences that make the token of one client unusable for the other.
    private func differences(_ one: ClientSettings, _ two: ClientSettings) -> [String] {
        var different: [String] = []
        let sameIssuer = one.openID.discovery == two.openID.discovery && one.openID.issuer == two.openID.issuer
        if !sameIssuer || provider(one) != provider(two) { different.append("issuer") }
        if one.openID.clientID != two.openID.clientID { different.append("clientId") }
        if Set(one.openID.scopes) != Set(two.openID.scopes) { different.append("list of scopes") }
        if one.minimum != two.minimum { different.append("minimum") }
        return different
    }

    private func sessions(of client: ClientSettings) -> String {
        client.sessionStorage ?? "default of \(provider(client))"
    }

    private func tokens(of client: ClientSettings) -> String {
        client.tokenStorage ?? "default of \(provider(client))"
    }

    private func provider(_ client: ClientSettings) -> String { client.provider }
}

extension ProductSettings {
    /// The value of `type`.
    fileprivate var word: String { Self.name.rawValue }
}
