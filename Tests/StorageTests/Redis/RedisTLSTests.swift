import Basics
import EventLoop
import Glibc
import Logs
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store over TLS", .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(2)))
struct RedisTLSTests {
    private let clock = ManualTime()
    private let certificates: RedisCertificates

    init() throws {
        certificates = try #require(RedisCertificates.shared)
    }

    private func commit(_ value: [UInt8]) -> SessionCommit {
        .create(expires: clock.after(.seconds(60)), writes: [.set("a", value)])
    }

    /// Why a server cannot be used, and that its user was never signed in there.
    private func cause(_ server: RedisServer, _ change: (inout RedisSettings) -> Void = { _ in }) async -> String? {
        var settings = server.settings()
        settings.commandTimeout = .seconds(30)
        change(&settings)
        return await RedisStore.trial(settings, logger: .silent)
    }

    // MARK: Certificates

    @Test func `signs in with a certificate of the configured authority, by name and by address`() async throws {
        let server = try #require(RedisServer.secure)
        #expect(await cause(server) == nil)
        #expect(await cause(server) { $0.address = .tcp(host: "127.0.0.1", port: server.port) } == nil)
    }

    @Test(
        "refuses a certificate for another host, also if its subject has the name",
        arguments: ["DNS:example.com", "DNS:*.localhost", "DNS:localhost.example.com", "IP:127.0.0.2", ""])
    func otherHost(_ names: String) async throws {
        let own = try RedisCertificates()
        try own.make("other", names: names, subject: "localhost")
        let server = try RedisServer(own, "other")
        #expect(await cause(server)?.contains("is for other host names") == true)
        #expect(try server.commands("auth", "select", "ping") == 0)
    }

    @Test func `refuses one that has expired`() async throws {
        let own = try RedisCertificates()
        try own.make("old", days: -1)
        let server = try RedisServer(own, "old")
        #expect(await cause(server)?.contains("has expired") == true)
        #expect(try server.commands("auth", "select", "ping") == 0)
    }

    @Test func `refuses one for clients alone`() async throws {
        let own = try RedisCertificates()
        try own.make("other", usage: "clientAuth")
        let server = try RedisServer(own, "other")
        #expect(await cause(server)?.contains("is unfit") == true)
    }

    @Test func `refuses one that signed itself, unless it is the one to trust`() async throws {
        let own = try RedisCertificates()
        try own.makeSelfSigned("self")
        let server = try RedisServer(own, "self")
        #expect(await cause(server)?.contains("authority that is not trusted") == true)
        #expect(try server.commands("auth", "select", "ping") == 0)
        #expect(await cause(server) { $0.tls?.caFile = own.folder.file("self.pem") } == nil)
    }

    @Test func `refuses one of another authority, and of any that only the system lacks`() async throws {
        let other = try RedisCertificates()
        let server = try RedisServer(certificates)
        for authority in [other.authority, nil] {
            let found = await cause(server) { settings in
                settings.tls?.caFile = authority
                settings.password = .init("hunter2")
            }
            #expect(found?.contains("authority that is not trusted") == true)
        }
        #expect(try server.commands("auth", "select", "ping") == 0)
        withExtendedLifetime(other) {}
    }

    @Test func `shows its own certificate to a server that wants one, and says if it lacks`() async throws {
        for protocols in ["TLSv1.2", "TLSv1.3"] {
            let server = try RedisServer(
                certificates, "server", ["--tls-auth-clients", "yes", "--tls-protocols", protocols])
            #expect(await cause(server) { $0.tls = certificates.trust(client: "client") } == nil)
            #expect(await cause(server)?.contains("client certificate") == true, "\(protocols)")
            let others = try RedisCertificates()
            let stranger = await cause(server) { settings in
                settings.tls = others.trust(client: "client")
                settings.tls?.caFile = certificates.authority
            }
            #expect(stranger?.contains("client certificate") == true, "\(protocols): \(stranger ?? "nil")")
        }
    }

    @Test func `reads its files at each connection, and names the one that is of no use`() async throws {
        let own = try RedisCertificates()
        let server = try RedisServer(own)
        let log = RecordedLog()
        let store = try server.store(time: clock, logger: log.logger())
        try await store.ping()
        #expect(rename(own.authority, own.folder.file("moved.pem")) == 0)
        try await store.ping()
        _ = try server.ask("CLIENT", "KILL", "TYPE", "normal")
        while (try? await store.ping()) != nil {}
        #expect(log.lines.contains { $0.contains("session.redis.caFile") })
        #expect(rename(own.folder.file("moved.pem"), own.authority) == 0)
        while (try? await store.ping()) == nil {}
        await store.close()
    }

    @Test func `says which of its files cannot be used`() throws {
        let own = try RedisCertificates()
        try own.openssl("ec -in client.key -aes256 -passout pass:secret -out locked.key")
        try own.folder.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "bad.pem")
        let good = own.trust(client: "client")
        #expect(good.fault() == nil)
        let files: [(WritableKeyPath<RedisSettings.TLS, String?>, String, String)] = [
            (\.caFile, "missing.pem", "caFile"), (\.caFile, "client.key", "caFile"), (\.caFile, "bad.pem", "caFile"),
            (\.clientCertFile, "missing.pem", "clientCertFile"), (\.clientCertFile, "bad.pem", "clientCertFile"),
            (\.clientKeyFile, "missing.key", "clientKeyFile"), (\.clientKeyFile, "locked.key", "clientKeyFile"),
            (\.clientKeyFile, "client.pem", "clientKeyFile"), (\.clientKeyFile, "server.key", "clientKeyFile"),
        ]
        for (path, name, setting) in files {
            var tls = good
            tls[keyPath: path] = own.folder.file(name)
            #expect(tls.fault()?.setting == setting, "\(name)")
        }
        var other = good
        other.clientKeyFile = own.folder.file("server.key")
        #expect(other.fault()?.cause.contains("another certificate") == true)
    }

    // MARK: The handshake

    /// Why a peer with this script cannot be used.
    private func cause(
        timeout: Duration = .seconds(30), _ script: @escaping @Sendable (PeerConnection) -> Void
    ) async throws -> (cause: String?, bytes: [UInt8]) {
        let received = Locked<[UInt8]>([])
        let peer = try ScriptedPeer { connection in
            guard let first = connection.readSome() else { return }
            received.withLock { $0 += first }
            script(connection)
            while let more = connection.readSome() { received.withLock { $0 += more } }
        }
        var settings = RedisSettings(address: .tcp(host: "127.0.0.1", port: peer.port))
        settings.tls = certificates.trust()
        settings.password = .init("hunter2")
        settings.connectTimeout = timeout
        let cause = await RedisStore.trial(settings, logger: .silent)
        peer.stop()
        return (cause, received.withLock { $0 })
    }

    @Test func `says so if the server closes in the handshake, and sends it no word in the clear`() async throws {
        let (cause, bytes) = try await cause { $0.close() }
        #expect(cause?.contains("closed the connection in the TLS handshake") == true, "\(cause ?? "nil")")
        #expect(bytes.first == 22, "a handshake's record")
        #expect(bytes.firstRange(of: Array("hunter2".utf8)) == nil)
        #expect(bytes.firstRange(of: Array("AUTH".utf8)) == nil)
    }

    @Test func `says so if the server is silent in the handshake`() async throws {
        let (cause, bytes) = try await cause(timeout: .milliseconds(300)) { _ in }
        #expect(cause?.contains("the TLS handshake did not end in time") == true, "\(cause ?? "nil")")
        #expect(bytes.firstRange(of: Array("AUTH".utf8)) == nil)
    }

    @Test(arguments: ["-ERR unknown command\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n", "\0\0\0\0\0\0\0\0"])
    func `says so if the server answers without TLS`(_ answer: String) async throws {
        let (cause, bytes) = try await cause { $0.write(answer) }
        #expect(cause?.contains("does not speak TLS at this port") == true, "\(cause ?? "nil")")
        #expect(bytes.firstRange(of: Array("AUTH".utf8)) == nil)
    }

    /// `openssl s_server` with the certificate of this machine; it sends what it is told.
    private func peer(_ options: [String]) async throws -> (process: ChildProcess, settings: RedisSettings) {
        let process = try ChildProcess(
            arguments: [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificates.folder.file("server.pem"),
                "-key", certificates.folder.file("server.key"),
            ] + options)
        _ = try #require(await process.read(through: "ACCEPT 127.0.0.1:"))
        let line = try #require(await process.read(through: "\n"))
        let port = try #require(UInt16(line.dropLast()))
        var settings = RedisSettings(address: .tcp(host: "localhost", port: port))
        settings.tls = certificates.trust()
        settings.connectTimeout = .seconds(30)
        return (process, settings)
    }

    @Test func `refuses TLS 1.1`() async throws {
        let (process, settings) = try await peer(["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"])
        let cause = await RedisStore.trial(settings, logger: .silent)
        #expect(cause?.contains("speaks no TLS 1.2 or newer") == true, "\(cause ?? "nil")")
        process.terminate()
    }

    @Test func `tells the server the name of the host`() async throws {
        let second = [
            "-cert2", certificates.folder.file("server.pem"), "-key2", certificates.folder.file("server.key"),
        ]
        let (process, settings) = try await peer(["-servername", "localhost", "-servername_fatal"] + second)
        let trial = Task { await RedisStore.trial(settings, logger: .silent) }
        #expect(await process.read(through: "Hostname in TLS extension: \"localhost\"") != nil)
        process.terminate()
        _ = await trial.value
    }

    /// A store whose server has said something in TLS itself, before it answered anything.
    private func store(
        _ options: [String], at word: String, until text: String
    ) async throws -> (store: RedisStore, process: ChildProcess) {
        let (process, settings) = try await peer(options)
        let store = RedisStore(settings, on: try EventThread(), time: clock)
        _ = try #require(await process.read(through: "SELECT"))
        _ = try #require(await process.read(through: "\r\n0\r\n"))
        process.write(word)
        _ = try #require(await process.read(through: text))
        return (store, process)
    }

    @Test("goes on when the server changes its keys, and when it wants both to", arguments: ["k", "K"])
    func newKeys(_ word: String) async throws {
        let (store, process) = try await store(["-tls1_3", "-state"], at: "\(word)\n", until: "server key update")
        // Words of the protocol after it show that they were read.
        process.write("+OK\r\n-LOADING now\r\n")
        while store.report.failure == nil { await Task.yield() }
        #expect(store.report.failure == .refused("LOADING"))
        await store.close()
        process.terminate()
    }

    @Test func `negotiates no second time`() async throws {
        let (store, process) = try await store(["-tls1_2"], at: "r\n", until: "no renegotiation")
        while store.report.failure == nil { await Task.yield() }
        await store.close()
        process.terminate()
    }

    // MARK: Records

    @Test(arguments: ["TLSv1.2", "TLSv1.3"])
    func `carries what is longer than a record, in both directions`(_ version: String) async throws {
        let server = try RedisServer(certificates, "server", ["--tls-protocols", version])
        let store = try server.store(time: clock)
        var values: [SessionKey: [UInt8]] = [:]
        for size in [1, 16_383, 16_384, 16_385, 32_768, 300_000, 1_000_000] {
            let (key, value) = (SessionKey.unique(), (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            values[key] = value
            try await store.commit(key, commit(value))
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (key, value) in values {
                group.addTask { try await store.read(key, .all)["a"]?.value == value }
            }
            for try await isSame in group { #expect(isSame) }
        }
        await store.close()
    }

    @Test func `says done only of what is done, wherever a record is cut`() async throws {
        let server = try #require(RedisServer.secure)
        for direction in [\RedisProxy.Plan.toServer, \.toClient] as [WritableKeyPath<RedisProxy.Plan, RedisProxy.Harm>]
        {
            for place in stride(from: 40, to: 9000, by: 331) {
                var plan = RedisProxy.Plan()
                plan[keyPath: direction] = .cut(after: place)
                let proxy = try RedisProxy(port: server.port, [plan])
                let store = try server.store(proxy.settings(like: server), time: clock)
                let key = SessionKey.unique()
                let refusal = await refusal { () throws(StoreError) in try await store.commit(key, commit([1])) }
                #expect(refusal == nil || refusal == .unavailable, "\(place)")
                let snapshot = try await store.read(key, .all)
                if refusal == nil { #expect(snapshot["a"]?.value == [1], "\(place)") }
                await store.close()
                proxy.stop()
            }
        }
    }

    @Test func `works byte by byte`() async throws {
        let server = try #require(RedisServer.secure)
        let proxy = try RedisProxy(port: server.port, [.init(toServer: .drip, toClient: .drip)])
        let store = try server.store(proxy.settings(like: server), time: clock)
        let key = SessionKey.unique()
        try await store.commit(key, commit([1]))
        #expect(try await store.read(key, .all)["a"]?.value == [1])
        #expect(proxy.connections == 1)
        await store.close()
        proxy.stop()
    }

    @Test("does no commit twice when the connection ends while the system takes no more", arguments: [false, true])
    func stall(_ isSecure: Bool) async throws {
        let server = try #require(isSecure ? RedisServer.secure : RedisServer.shared)
        let plan = RedisProxy.Plan(toServer: .stall(after: 9000, until: 40_000))
        let proxy = isSecure ? try RedisProxy(port: server.port, [plan]) : try RedisProxy(server.path, [plan])
        let store = try server.store(proxy.settings(like: server), time: clock)
        try await store.ping()
        let value = [UInt8](repeating: 7, count: 200_000)
        let commit = commit(value)
        let keys = (0..<60).map { _ in SessionKey.unique() }
        let outcomes = await withTaskGroup(of: (SessionKey, StoreError?).self) { group in
            for key in keys {
                group.addTask {
                    (key, await refusal { () throws(StoreError) in try await store.commit(key, commit) })
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for key in keys {
            // A second time would be a conflict with the first.
            #expect(outcomes[key] == nil || outcomes[key] == .unavailable)
            if outcomes[key] == nil { #expect(try await store.read(key, .all)["a"]?.value == value) }
        }
        #expect(proxy.connections == 2)
        #expect(outcomes.count < keys.count, "what the system had not taken was sent again")
        await store.close()
        proxy.stop()
    }
}
