internal import BFF
internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import ProductKit
internal import SettingsKit

extension SettingsReader {
    func readClients(
        _ top: Section, storages: [StorageSettings], publicURL: WebURL?, requestTime: Duration
    ) -> [ClientSettings] {
        let sections = top.named("clients")
        // Without clients no user can sign in here, and the server is a resource server alone.
        if sections.isEmpty, !context.isReported("clients"), !top.contains("issuers") {
            context.report("clients", "expected at least one client, or issuers alone")
        }
        var clients: [ClientSettings] = []
        for (name, section) in sections {
            guard let client = readClient(name, section, publicURL: publicURL) else { continue }
            if client.timeout > requestTime, section.contains("timeout"), !client.product.outlastsRequests {
                let most = ValueForm<Duration>.text(requestTime)
                context.report(section.key("timeout"), "expected no more than server.limits.requestTime, \(most)")
            }
            clients.append(client)
        }
        // A client that could not be read may be the one that uses a storage.
        if clients.count == sections.count { check(storages, against: clients) }
        SharedStorages(clients, context).check()
        return clients
    }

    private func readClient(_ name: String, _ section: Section, publicURL: WebURL?) -> ClientSettings? {
        guard section.exists else { return nil }
        guard let type = readType(section) else { return nil }
        let insecure = section.value("insecureHttp", .flag) ?? false
        let product = type.read(section, ReadingTerms(publicURL: publicURL, insecureHTTP: insecure))
        for other in products where other != type {
            for key in other.keys where !type.keys.contains(key) && !context.isReported(section.key(key)) {
                section.later(key, "is for \(other.flowWords); this is \(type.clientWords)")
            }
        }
        let common = ClientSettings.settings.read(section)
        section.finish()
        guard let product else { return nil }
        var client = ClientSettings(
            name: name, product: product.settings, openID: product.openID, allowed: product.allowed,
            insecureHTTP: insecure)
        client.stepTimeout = type.stepTimeout
        common(&client)
        client.keepsSession = product.keepsSession
        return client
    }

    /// The product that `type` names.
    private func readType(_ section: Section) -> (any ProductSettings.Type)? {
        let names = products.map { $0.name.rawValue }
        // A type that users of OpenID providers expect.
        let later = "oidc"
        let words = names.joined(separator: " or ")
        let form = ValueForm(expected: words) { text in (names + [later]).contains(text) ? text : nil }
        guard let name = section.required("type", form) else { return nil }
        guard let type = products.first(where: { $0.name.rawValue == name }) else {
            context.report(
                section.key("type"),
                "is not supported; this version has " + names.joined(separator: " and "))
            return nil
        }
        return type
    }
}
