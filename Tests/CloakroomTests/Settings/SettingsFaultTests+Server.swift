/// The rows of the sections `server` and `session`.
extension SettingsFaultTests {
    static let serverRows = [
        Row(
            "https://app.example.com,", "http://app.example.com,",
            "1: server.publicUrl: expected https, or http on an address of this machine together with insecureHttp"),
        Row(
            "https://app.example.com,", "http://app.example.com, insecureHttp: true,",
            "1: server.publicUrl: expected https, or http on an address of this machine together with insecureHttp"),
        Row(
            "https://app.example.com,", "https://app.example.com/x,",
            "1: server.publicUrl: expected an address without path and query"),
        Row(
            "https://app.example.com,", "app,",
            "1: server.publicUrl: expected an address like https://app.example.com"),
        server(with: "returnTargets: {}", "returnTargets: expected at least one name with a path"),
        server(with: "returnTargets: /x", "returnTargets: expected names with values"),
        server(with: "returnTargets: { a: /x, A: /y }", "returnTargets.A: is there twice"),
        server(
            with: "returnTargets: { 'a b': /x }", "returnTargets: expected names of 1 to 32 letters, digits, '_' or '-'"
        ),
        server(with: "returnTargets: { a: [/x] }", target),
        server(with: "returnTargets: { a: 'https://evil.example.com' }", target),
        server(with: "returnTargets: { a: '//evil.example.com' }", target),
        server(with: #"returnTargets: { a: '/\evil.example.com' }"#, target),
        server(with: "returnTargets: { a: x }", target),
        server(with: "returnTargets: { a: '/x#y' }", target),
        server(with: #"returnTargets: { a: "/x\ny" }"#, target),
        server(with: "returnTargets: { a: '/ x' }", target),
        server(with: "listen: localhost:80", "listen: expected an address and port like 127.0.0.1:8080 or [::1]:8080"),
        server(with: "listen: 127.0.0.1", "listen: expected an address and port like 127.0.0.1:8080 or [::1]:8080"),
        server(
            with: "listen: '127.0.0.1:65536'", "listen: expected an address and port like 127.0.0.1:8080 or [::1]:8080"),
        server(
            with: "listen: '127.0.0.1:+80'", "listen: expected an address and port like 127.0.0.1:8080 or [::1]:8080"),
        server(
            with: "admin: '0.0.0.0:81'",
            "admin: expected an address of this machine, or insecureAdmin: true for another one"),
        server(
            with: "admin: '0.0.0.0:81', insecureAdmin: yes", "insecureAdmin: expected true or false",
            "admin: expected an address of this machine, or insecureAdmin: true for another one"),
        server(
            with: "insecureHttp: on, insecureAdmin: 1", "insecureHttp: expected true or false",
            "insecureAdmin: expected true or false"),
        server(
            with: "listen: '127.0.0.1:81', admin: '127.0.0.1:81'",
            "admin: expected another port than that of server.listen"),
        server(
            with: "listen: '127.0.0.1:81', admin: '0.0.0.0:81', insecureAdmin: true",
            "admin: expected another port than that of server.listen"),
        server(
            with: "admin: '127.0.0.1:81', adminToken: tooshort", "adminToken: expected at least 32 characters"),
        server(
            with: "adminToken: 0123456789abcdef0123456789abcdef",
            "adminToken: no listener takes it; set server.admin"),
        server(with: "admin: '127.0.0.1:81', adminToken: 0123456789abcdef0123456789abcdef"),
        server(with: "admin: '127.0.0.1:8080'", "admin: expected another port than that of server.listen"),
        server(with: "listen: '127.0.0.1:0', admin: '127.0.0.1:0'"),
        server(with: "listen: '127.0.0.1:81', admin: '127.0.0.2:81'"),
        Row(
            server, "server: { publicUrl: https://app.example.com }",
            "1: server.trustedPeers: is missing; expected the addresses of the proxies in front, or [] where callers "
                + "come without one"),
        server(with: "trustedPeers: []"),
        server(
            with: "trustedPeers: proxy.example.com", "trustedPeers: expected an address or a block like 10.0.0.0/8"),
        server(
            with: "trustedPeers: ['::1/64', 10.0.0.1/8]",
            "trustedPeers[0]: expected an address or a block like 10.0.0.0/8",
            "trustedPeers[1]: expected an address or a block like 10.0.0.0/8"),
        server(
            with: "corsOrigins: ['*']", "corsOrigins: expected origins like https://app.example.com, without a path"),
        server(
            with: "corsOrigins: ['null']", "corsOrigins: expected origins like https://app.example.com, without a path"),
        server(with: "basePath: bff/", "basePath: expected a path like /bff, without a slash at its end"),
        server(with: "hsts: { includeSubDomains: on }", "hsts.includeSubDomains: expected true or false"),
        server(with: "hsts: true", "hsts: expected keys with values"),
        server(with: "files: web/nothing", "files: expected a folder that can be read"),
        server(
            with: "webAuthn: { relatedOrigins: ['http://shop.example.net'] }",
            "webAuthn.relatedOrigins: expected https origins like https://www.example.net, without a path and with a "
                + "host name"),
        server(with: "webAuthn: { relatedOrigins: https://shop.example.net }"),
        server(
            with: "webAuthn: { relatedOrigins: ['https://a.test', 'https://b.test', 'https://c.test', "
                + "'https://d.test', 'https://e.test', 'https://f.test'] }",
            "webAuthn.relatedOrigins: expected names of 5 sites at most, without their public suffixes; browsers ignore "
                + "further ones"),
        server(with: "webAuthn: { origins: [] }", "webAuthn.origins: unknown key"),
        server(
            with: "passkeyEndpoints: { enroll: /passkeys, manage: 'http://app.example.com/passkeys' }",
            "passkeyEndpoints.enroll: expected an address like https://app.example.com/passkeys",
            "passkeyEndpoints.manage: expected an https address"),
        server(with: "csrfHeader: Accept", "csrfHeader: expected a header name that begins with X-"),
        server(with: "threads: 0", "threads: expected a number from 1 to 64"),
        server(with: "threads: 2.0", "threads: expected a number from 1 to 64"),
        server(with: "threads: 0x2", "threads: expected a number from 1 to 64"),
        server(with: "drain: 6m", "drain: expected a duration from 0s to 5m"),
        server(with: "limits: { answers: 8MiB }", "limits.answers: expected a size from 1KiB to 4MiB"),
        server(with: "limits: { body: 16384 }", "limits.body: expected a size from 256B to 1MiB"),
        server(with: "limits: { idle: 30 }", "limits.idle: expected a duration from 1s to 1h"),
        server(with: "limits: { responseRate: 16384 }", "limits.responseRate: expected a size from 0B to 16MiB"),
        server(with: "limits: { callsPerPeer: -1 }", "limits.callsPerPeer: expected a number from 0 to 10000"),
        server(with: "limits: { callsPerSession: many }", "limits.callsPerSession: expected a number from 0 to 10000"),
        server(with: "limits: { events: 0 }", "limits.events: expected a number from 1 to 100000"),
        server(with: "limits: { eventsPerPeer: -1 }", "limits.eventsPerPeer: expected a number from 0 to 100000"),
        server(with: "limits: { polls: -1 }", "limits.polls: expected a number from 0 to 100000"),
        server(with: "limits: { polls: none }", "limits.polls: expected a number from 0 to 100000"),
        server(with: "limits: { held: 1KiB }", "limits.held: expected a size from 1MiB to 64GiB"),
        server(with: "limits: { heldPerPeer: 65GiB }", "limits.heldPerPeer: expected a size from 1MiB to 64GiB"),
        server(with: "limits: { heldPerSession: off }", "limits.heldPerSession: expected a size from 1MiB to 64GiB"),
        server(
            with: "rates: { anonymous: { burst: a } }", "rates.anonymous.burst: expected a number from 1 to 1000000"),
        server(with: "rates: { api: off }", "rates.api: expected keys with values"),
        server(
            with: "rates: { api: { peer: { burst: 0 } } }", "rates.api.peer.burst: expected a number from 1 to 1000000"),
        server(with: "rates: { api: { flow: off } }", "rates.api.flow: unknown key"),
        server(
            with: "rates: { authz: { perMinute: a } }", "rates.authz.perMinute: expected a number from 1 to 1000000"),
        server(with: "rates: { account: on }", "rates.account: expected keys with values"),
        server(with: "rates: { peer: none }", "rates.peer: expected keys with values"),
        server(with: "rates: { peer: { burst: 0 } }", "rates.peer.burst: expected a number from 1 to 1000000"),
    ]

    private static let stores =
        "memory, sqlite:PATH, redis://HOST:PORT/DATABASE, rediss://HOST:PORT/DATABASE, redis+unix:///PATH, "
        + "redis+sentinel:///DATABASE, rediss+sentinel:///DATABASE, redis+cluster:/// or rediss+cluster:///"
    private static let insecureStore =
        "store: names another machine without TLS; expected rediss in place of redis; "
        + "session.redis.insecureTransport: true allows it"
    private static let noKeys =
        "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"

    static let sessions = [
        session("anonymousSessions: 5", "anonymousSessions: expected a number from 100 to 10000000"),
        session("idle: 30s", "idle: expected a duration from 1m to 1d"),
        session("idle: 30", "idle: expected a duration from 1m to 1d"),
        session("idle: 9h", "idle: expected no more than session.absolute, 8h"),
        session("idle: 2h, absolute: 1h", "idle: expected no more than session.absolute, 1h"),
        session("revocations: 8d", "revocations: expected a duration from 1m to 7d"),
        session("anonymous: 30s", "anonymous: expected a duration from 1m to 1d"),
        session("flow: 2h", "flow: expected a duration from 1m to 1h"),
        session("flowsPerInstance: 0", "flowsPerInstance: expected a number from 1 to 50"),
        session("accounts: many", "accounts: expected a number from 1 to 64"),
        session(
            "idle: 5m, absolute: 5m, flow: 6m, anonymous: 7m", "anonymous: expected no more than session.absolute, 5m",
            "flow: expected no more than session.absolute, 5m"),
        session("store: file", "store: expected \(stores)"),
        session("store: 'sqlite:'", "store: expected \(stores)"),
        session(
            "store: 'redis://u:hunter2@cache'",
            "store: expected \(stores); user and password have settings of their own in session.redis"),
        session(
            "store: 'rediss://u:hunter2@cache'",
            "store: expected \(stores); user and password have settings of their own in session.redis"),
        session(
            "store: 'redis://localhost', redis: { caFile: /etc/hosts }",
            "redis.caFile: is for rediss://; session.store names a connection without TLS", noKeys),
        session(
            "store: 'rediss://cache', redis: { caFile: /nowhere }",
            "redis.caFile: the file does not exist: /nowhere", noKeys),
        session(
            "store: 'rediss://cache', redis: { caFile: /etc/hosts }",
            "redis.caFile: the file cannot be read or holds no certificate in PEM", noKeys),
        session(
            "store: 'rediss://cache', redis: { clientCertFile: /etc/hosts }",
            "redis.clientCertFile: expected clientKeyFile beside it", noKeys),
        session(
            "store: 'rediss://cache', redis: { clientKeyFile: /etc/hosts }",
            "redis.clientKeyFile: others may read or change the file; chmod 600; server.insecureSecretFiles: true allows it",
            "redis.clientKeyFile: expected clientCertFile beside it", noKeys),
        session(
            "store: 'rediss://cache', redis: { clientCertFile: /etc/hosts, clientKeyFile: /etc/hosts }",
            "redis.clientKeyFile: others may read or change the file; chmod 600; server.insecureSecretFiles: true allows it",
            "redis.clientCertFile: the file cannot be read or holds no certificate in PEM", noKeys),
        session("store: 'redis+sentinel://cache/0'", "store: expected \(stores)"),
        session(
            "store: 'redis+sentinel:///0'", "redis: is missing; expected sentinels and master for this store", noKeys),
        session(
            "store: 'redis+sentinel:///0', redis: { sentinels: [localhost] }",
            "redis.master: is missing; session.store wants the primary from sentinels", noKeys),
        session(
            "store: 'rediss+sentinel:///0', redis: { master: m }",
            "redis.sentinels: is missing; session.store wants the primary from sentinels", noKeys),
        session(
            "store: 'redis+sentinel:///0', redis: { sentinels: [], master: m }",
            "redis.sentinels: expected at least one value", noKeys),
        session(
            "store: 'redis+sentinel:///0', redis: { sentinels: ['a:0', 'redis://a'], master: 'a b' }",
            "redis.sentinels[0]: expected HOST:PORT", "redis.sentinels[1]: expected HOST:PORT",
            "redis.master: expected 1 to 128 letters, digits, '-', '_' or '.'", noKeys),
        session(
            "store: 'redis+sentinel:///0', redis: { sentinels: [localhost], master: m, sentinelUser: u }",
            "redis.sentinelUser: expected sentinelPasswordFile beside it: a sentinel signs a user in by a password",
            noKeys),
        session(
            "store: 'redis://127.0.0.1', redis: { sentinels: [b], master: m }",
            "redis.sentinels: is for redis+sentinel:///DATABASE; session.store names a server itself",
            "redis.master: is for redis+sentinel:///DATABASE; session.store names a server itself", noKeys),
        session("store: 'redis://cache'", insecureStore, noKeys),
        session("store: 'redis://127.example.com'", insecureStore, noKeys),
        session("store: 'redis://[::2]'", insecureStore, noKeys),
        session("store: 'redis://cache', redis: { prefix: a }", insecureStore, noKeys),
        session("store: 'redis://cache', redis: { insecureTransport: false }", insecureStore, noKeys),
        session(
            "store: 'redis+sentinel:///0', redis: { sentinels: [localhost, a], master: m }", insecureStore, noKeys),
        session("store: 'redis+cluster:///', redis: { nodes: [localhost, a] }", insecureStore, noKeys),
        session("store: 'redis+cluster://cache/'", "store: expected \(stores)"),
        session("store: 'redis+cluster:///1'", "store: expected \(stores)"),
        session("store: 'redis+cluster:///'", "redis: is missing; expected nodes for this store", noKeys),
        session(
            "store: 'rediss+cluster:///', redis: { prefix: a }",
            "redis.nodes: is missing; session.store wants the nodes of a cluster", noKeys),
        session(
            "store: 'rediss+cluster:///', redis: { nodes: [] }", "redis.nodes: expected at least one value", noKeys),
        session(
            "store: 'rediss+cluster:///', redis: { nodes: ['a:0', 'redis://a'] }",
            "redis.nodes[0]: expected HOST:PORT", "redis.nodes[1]: expected HOST:PORT", noKeys),
        session(
            "store: 'rediss://a', redis: { nodes: [b] }",
            "redis.nodes: is for redis+cluster:///; session.store names no cluster", noKeys),
        session("redis: { user: a }", "redis: is for a store in Redis; session.store names another"),
        session(
            "store: 'redis://localhost', redis: { user: a }",
            "redis.user: expected passwordFile beside it: Redis signs a user in by a password",
            "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session(
            "store: 'redis://localhost', redis: { prefix: '{a}' }",
            "redis.prefix: expected 1 to 64 letters, digits, '-', '_', '.' or ':'",
            "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session(
            "store: 'sqlite:/nowhere/x'", "store: the directory does not exist: /nowhere",
            "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session(
            "store: 'sqlite:/tmp'", "store: expected a file, not a directory: /tmp",
            "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session(
            "store: 'sqlite:/x'",
            "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session("keys: []", "keys: expected a key for sessions that outlive the process; 'cloakroom keygen' makes one"),
        session("keys: k1", "keys: expected a list"),
        session("keys: [k1]", "keys[0]: expected keys with values"),
        session("keys: [{ id: k1 }]", "keys[0]: expected either file or key"),
        session("keys: [{ id: k1, file: /a, key: x }]", "keys[0]: expected either file or key"),
        session("keys: [{ id: a/b, key: \(key) }]", "keys[0].id: expected 1 to 32 letters, digits, '_' or '-'"),
        session("keys: [{ key: \(key) }]", "keys[0]: expected an id for this key"),
        session("keys: [{ id: a, key: \(key.dropLast()) }]", "keys[0].key: is no key; 'cloakroom keygen' makes one"),
        session("keys: [{ id: a, key: \(String(repeating: "A", count: 43)) }]", "keys[0].key: is no random key"),
        session("keys: [{ id: a, key: k1 \(key) }]", "keys[0].id: expected 'k1', the id that the key was made with"),
        session("keys: [{ id: a, key: \(key) }, { id: a, key: \(key) }]", "keys: the id 'a' is there twice"),
        session("keys: [{ id: a, file: missing }]", "keys[0].file: the file does not exist"),
        session("keys: [{ id: a, file: / }]", "keys[0].file: expected a file, not a directory"),
    ]

    private static let target =
        "returnTargets.a: expected a path of the public origin like /signed-in, without a fragment"

    private static func server(with setting: String, _ problems: String...) -> Row {
        let peers = setting.hasPrefix("trustedPeers") ? "" : "trustedPeers: [], "
        let new = "server: { publicUrl: https://app.example.com, \(peers)\(setting) }"
        return Row(server, new, problems.map { "1: server.\($0)" })
    }

    private static func session(_ setting: String, _ problems: String...) -> Row {
        Row(server, server + "\nsession: { \(setting) }", problems.map { "2: session.\($0)" })
    }
}
