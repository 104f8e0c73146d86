internal import Basics
internal import SettingsKit
internal import StorageRedis

extension SettingsReader {
    /// The form of `session.store`.
    func storeForm(_ section: Section) -> ValueForm<StoreSettings> {
        let expected =
            "memory, sqlite:PATH, redis://HOST:PORT/DATABASE, rediss://HOST:PORT/DATABASE, redis+unix:///PATH, "
            + "redis+sentinel:///DATABASE, rediss+sentinel:///DATABASE, redis+cluster:/// or rediss+cluster:///"
        let text = section.rawText("store") ?? ""
        let advice =
            ["redis:", "rediss:", "valkey:", "valkeys:"].contains { text.hasPrefix($0) }
            ? "; user and password have settings of their own in session.redis" : ""
        return ValueForm(expected: expected + advice) {
            [files = context.files] text in
            if text == "memory" { return .memory }
            if let settings = RedisSettings(url: text) { return .redis(settings) }
            guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else { return nil }
            return .sqlite(path: files.path(String(text.dropFirst(7))))
        }
    }

    /// Reads `session.redis`: what a Redis server wants to know besides its address.
    func readRedis(_ session: Section, _ store: inout StoreSettings) {
        guard session.contains("redis") else {
            guard case .redis(let settings) = store else { return }
            let missing: String? =
                switch settings.address {
                case .sentinels: "sentinels and master"
                case .cluster: "nodes"
                case .tcp, .socket: nil
                }
            if let missing {
                context.report(session.key("redis"), "is missing; expected \(missing) for this store")
            } else {
                checkProtection(session, settings)
            }
            return
        }
        let section = session.section("redis")
        let password = section.secret("password")
        let user = section.value("user", .text("the name of a user", bytes: 1...256))
        let prefix = section.value(
            "prefix",
            ValueForm(expected: "1 to 64 letters, digits, '-', '_', '.' or ':'") { text in
                RedisSettings.isPrefix(text) ? text : nil
            })
        let files = readTLSFiles(section)
        let sentinels = readSentinels(section)
        let nodes = section.someOf("nodes", ValueForm(expected: "HOST:PORT") { RedisSettings.Cluster.node($0) })
        let insecure = section.value("insecureTransport", .flag) ?? false
        section.finish()
        guard case .redis(var settings) = store else {
            if !context.isReported(session.key("store")) {
                context.report(session.key("redis"), "is for a store in Redis; session.store names another")
            }
            return
        }
        // rule: a user of Redis has a password
        if user != nil, password == nil, !section.contains("passwordFile"), !section.contains("password") {
            context.report(section.key("user"), "expected passwordFile beside it: Redis signs a user in by a password")
        }
        settings.insecureTransport = insecure
        settings.user = user
        settings.password = password
        if let prefix { settings.prefix = prefix }
        placeFiles(files, section, &settings)
        placeSentinels(sentinels, section, &settings)
        placeNodes(nodes, section, &settings)
        checkProtection(session, settings)
        store = .redis(settings)
    }

    /// Refuses a store on another machine without TLS.
    private func checkProtection(_ session: Section, _ settings: RedisSettings) {
        // rule: sessions go to another machine in TLS
        guard !settings.isProtected else { return }
        let message = "names another machine without TLS; expected rediss in place of redis"
        context.report(session.key("store"), "\(message); session.redis.insecureTransport: true allows it")
    }

    // MARK: Cluster

    /// Takes the nodes, if the address is theirs.
    private func placeNodes(
        _ nodes: [RedisSettings.Cluster.Host]?, _ section: Section, _ settings: inout RedisSettings
    ) {
        guard case .cluster = settings.address else {
            if section.contains("nodes") {
                context.report(section.key("nodes"), "is for redis+cluster:///; session.store names no cluster")
            }
            return
        }
        guard section.contains("nodes") else {
            return context.report(section.key("nodes"), "is missing; session.store wants the nodes of a cluster")
        }
        let most = RedisSettings.Cluster.most
        guard let nodes, nodes.count <= most else {
            if nodes != nil { context.report(section.key("nodes"), "expected no more than \(most) nodes") }
            return
        }
        settings.address = .cluster(.init(nodes: nodes))
    }

    // MARK: Sentinels

    private static let sentinelKeys = [
        "sentinels", "master", "sentinelUser", "sentinelPassword", "sentinelPasswordFile",
    ]

    private func readSentinels(_ section: Section) -> RedisSettings.Sentinels {
        let form = ValueForm(expected: "HOST:PORT") { RedisSettings.Sentinels.Host($0) }
        let name = ValueForm(expected: "1 to 128 letters, digits, '-', '_' or '.'") { text in
            RedisSettings.Sentinels.isMaster(text) ? text : nil
        }
        var sentinels = RedisSettings.Sentinels(
            hosts: section.someOf("sentinels", form) ?? [], master: section.value("master", name) ?? "")
        sentinels.user = section.value("sentinelUser", .text("the name of a user", bytes: 1...256))
        sentinels.password = section.secret("sentinelPassword")
        if sentinels.user != nil, !["sentinelPassword", "sentinelPasswordFile"].contains(where: section.contains) {
            let message = "expected sentinelPasswordFile beside it: a sentinel signs a user in by a password"
            context.report(section.key("sentinelUser"), message)
        }
        return sentinels
    }

    /// Takes the sentinels, if the address is theirs.
    private func placeSentinels(
        _ sentinels: RedisSettings.Sentinels, _ section: Section, _ settings: inout RedisSettings
    ) {
        guard case .sentinels = settings.address else {
            for name in Self.sentinelKeys where section.contains(name) {
                context.report(
                    section.key(name), "is for redis+sentinel:///DATABASE; session.store names a server itself")
            }
            return
        }
        for name in ["sentinels", "master"] where !section.contains(name) {
            context.report(section.key(name), "is missing; session.store wants the primary from sentinels")
        }
        guard sentinels.hosts.count <= RedisSettings.Sentinels.most else {
            let most = RedisSettings.Sentinels.most
            context.report(section.key("sentinels"), "expected no more than \(most) sentinels")
            return
        }
        settings.address = .sentinels(sentinels)
    }

    // MARK: TLS

    private static let tlsKeys = ["caFile", "clientCertFile", "clientKeyFile"]

    /// Reads the paths of the PEM files; nil if one of them cannot be read, which is reported.
    private func readTLSFiles(_ section: Section) -> RedisSettings.TLS? {
        let paths = Self.tlsKeys.map { readPath(section, $0) }
        guard zip(Self.tlsKeys, paths).allSatisfy({ !section.contains($0) || $1 != nil }) else { return nil }
        var files = RedisSettings.TLS()
        (files.caFile, files.clientCertFile, files.clientKeyFile) = (paths[0], paths[1], paths[2])
        return files
    }

    private func readPath(_ section: Section, _ name: String) -> String? {
        guard let file = section.value(name, .text("the path of a PEM file")) else { return nil }
        let (path, key) = (context.files.path(file), section.key(name))
        context.note(key, file: path)
        do throws(SettingsFiles.FileError) {
            let content = try context.files.read(path, limit: 16 << 20)
            // rule: the key of a client certificate is a secret
            if name == "clientKeyFile", content.isExposed {
                let message = "others may read or change the file; chmod 600"
                context.refuseExposedSecret(key, line: section.line(of: name), message)
            }
            return path
        } catch {
            context.report(key, "\(error.message(limit: "16MiB")): \(path)")
            return nil
        }
    }

    /// Takes the files, if the address has TLS and they can be used together.
    private func placeFiles(_ files: RedisSettings.TLS?, _ section: Section, _ settings: inout RedisSettings) {
        guard settings.tls != nil else {
            for name in Self.tlsKeys where section.contains(name) {
                context.report(section.key(name), "is for rediss://; session.store names a connection without TLS")
            }
            return
        }
        guard let files else { return }
        for (one, other) in [("clientCertFile", "clientKeyFile"), ("clientKeyFile", "clientCertFile")] {
            // rule: a client certificate has a key, and a key a certificate
            if section.contains(one), !section.contains(other) {
                context.report(section.key(one), "expected \(other) beside it")
                return
            }
        }
        settings.tls = files
        if let fault = files.fault() { context.report(section.key(fault.setting), fault.cause) }
    }
}
