// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ others: [String]) -> Product {
    .library(name: name, targets: [name] + others)
}

/// What a program names that sends requests itself, or looks into an answer.
let transport = ["HTTPClient", "EventLoop", "HTTPCore", "Logs", "JSON", "Basics"]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func system(_ name: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", providers: [.apt([apt])])
}

let package = Package(
    name: "cloakroom",
    products: [
        // Each with the modules that a program needs to name when it uses it, the real transport among them.
        library("Basics", []),
        library("JSON", []),
        library("Logs", ["JSON", "Basics"]),
        library("HTTPCore", ["Basics"]),
        library("HTTPServer", ["HTTPCore", "Logs", "JSON", "Basics"]),
        library("HTTPClient", ["EventLoop", "HTTPCore", "Logs", "Basics"]),
        library("Arguments", ["Logs", "Basics"]),
        library("Discovery", ["HTTPClient", "EventLoop", "HTTPCore", "Logs", "JSON", "Basics"]),
        library("Orchestrate", transport),
        library("JourneyClient", ["OpenIDConnect", "Orchestrate", "Discovery", "StorageKit"] + transport),
        library("DaVinciClient", ["OpenIDConnect", "Orchestrate", "Discovery", "StorageKit"] + transport),
        library("OpenIDConnect", ["Discovery", "JOSE", "StorageKit"] + transport),
        library("StorageKit", ["Logs", "Basics"]),
        library("StorageSQLite", ["StorageKit", "Logs", "Basics"]),
        library("StorageRedis", ["StorageKit", "EventLoop", "Logs", "Basics"]),
        library("ResourceServer", ["Discovery", "JOSE"] + transport),
        library(
            "Cloakroom",
            [
                "ProductKit", "SettingsKit", "JourneyClient", "DaVinciClient", "OpenIDConnect", "Orchestrate",
                "Discovery", "StorageRedis", "StorageSQLite", "StorageKit",
            ] + transport),
        .executable(name: "cloakroom", targets: ["CloakroomCommand"]),
        .executable(name: "cloakroom-demo", targets: ["CloakroomDemo"]),
    ],
    targets: [
        // The order is the order of the module table: a target imports only targets above its own row.
        system("CMicroHTTPD", apt: "libmicrohttpd-dev"),
        system("COpenSSL", apt: "libssl-dev"),
        system("CCurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", apt: "libsqlite3-dev"),
        system("CHiredis", apt: "libhiredis-dev"),
        system("CYAML", apt: "libyaml-dev"),
        // glibc's checks of buffers' ends need an optimiser.
        .target(name: "CShims", cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]),
        .target(name: "CMemory"),
        module("Basics", ["CShims"]),
        module("JSON", []),
        module("Logs", ["JSON", "Basics"]),
        module("YAML", ["CYAML"]),
        module("Arguments", ["Logs", "Basics"]),
        module("HTTPCore", ["Basics"]),
        module("Cryptography", ["COpenSSL", "Basics"]),
        module("EventLoop", ["CShims", "Basics", "Logs"]),
        module("HTTPServer", ["CMicroHTTPD", "CShims", "EventLoop", "HTTPCore", "Basics", "Logs"]),
        module("HTTPCodec", ["HTTPCore", "Basics"]),
        module("HTTPClient", ["CCurl", "EventLoop", "HTTPCodec", "HTTPCore", "Basics", "Logs"]),
        module("JOSE", ["Cryptography", "JSON", "Basics"]),
        module("StorageKit", ["Cryptography", "JSON", "Basics"]),
        module("StorageSQLite", ["CSQLite", "StorageKit", "Basics", "Logs"]),
        module("StorageRedis", ["CHiredis", "StorageKit", "EventLoop", "Cryptography", "Basics", "Logs"]),
        module("Discovery", ["JOSE", "HTTPCore", "JSON", "Basics", "Logs"]),
        module("Orchestrate", ["HTTPCore", "JSON", "Basics", "Logs"]),
        module(
            "OpenIDConnect",
            [
                "Discovery", "JOSE", "Cryptography", "Orchestrate", "HTTPClient", "HTTPCore", "JSON", "Basics",
                "Logs",
            ]),
        module(
            "ResourceServer",
            ["Discovery", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "Logs"]),
        module(
            "JourneyClient",
            ["Orchestrate", "OpenIDConnect", "Discovery", "HTTPCore", "JSON", "Basics", "Logs"]),
        module(
            "DaVinciClient",
            ["Orchestrate", "OpenIDConnect", "HTTPCore", "JSON", "Basics", "Logs"]),
        module("Sessions", ["StorageKit", "Cryptography", "Basics", "Logs"]),
        module(
            "BFF",
            [
                "Sessions", "ResourceServer", "OpenIDConnect", "Orchestrate", "StorageKit", "JOSE", "Cryptography",
                "JSON", "Basics", "Logs",
            ]),
        module("SettingsKit", ["YAML", "HTTPCore", "Basics"]),
        module(
            "ProductKit",
            [
                "BFF", "SettingsKit", "ResourceServer", "OpenIDConnect", "Orchestrate", "Discovery", "JOSE",
                "Cryptography", "HTTPCore", "Basics", "Logs",
            ]),
        module(
            "JourneyProduct",
            [
                "ProductKit", "BFF", "SettingsKit", "JourneyClient", "ResourceServer", "OpenIDConnect", "Orchestrate",
                "Discovery", "StorageKit", "HTTPCore", "JSON", "Basics", "Logs",
            ]),
        module(
            "DaVinciProduct",
            [
                "ProductKit", "BFF", "SettingsKit", "DaVinciClient", "OpenIDConnect", "Orchestrate", "Discovery",
                "StorageKit", "HTTPCore", "JSON", "Basics", "Logs",
            ]),
        module("PingCompatibility", ["BFF", "HTTPCore", "JSON", "Basics"]),
        module(
            "BFFAPI",
            [
                "PingCompatibility", "BFF", "Sessions", "ResourceServer", "HTTPServer", "Cryptography", "HTTPCore",
                "JSON", "Basics", "Logs",
            ]),
        module(
            "Cloakroom",
            [
                "BFFAPI", "JourneyProduct", "DaVinciProduct", "ProductKit", "SettingsKit", "BFF", "ResourceServer",
                "JourneyClient", "DaVinciClient", "OpenIDConnect", "Discovery", "StorageRedis", "StorageSQLite",
                "StorageKit", "HTTPClient", "HTTPServer", "EventLoop", "HTTPCore", "JOSE", "Cryptography", "JSON",
                "Basics", "YAML", "Logs",
            ]),
        module(
            "IdentitySimulator",
            ["HTTPServer", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "Logs"]),
        .target(
            name: "LedgerAPI",
            dependencies: [
                "ResourceServer", "Discovery", "HTTPClient", "EventLoop", "HTTPServer", "HTTPCore", "JSON", "Basics",
                "Logs",
            ], path: "examples/resource-server/Ledger", swiftSettings: strict),
        .executableTarget(
            name: "CloakroomCommand",
            dependencies: [
                "Cloakroom", "ProductKit", "SettingsKit", "HTTPCore", "Basics", "Arguments", "Logs", "CMemory",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "CloakroomDemo",
            dependencies: [
                "Cloakroom", "BFFAPI", "DaVinciProduct", "JourneyProduct", "ProductKit", "BFF", "LedgerAPI",
                "ResourceServer", "JourneyClient", "OpenIDConnect", "Discovery", "IdentitySimulator", "StorageKit",
                "HTTPServer", "HTTPCore", "Cryptography", "Basics", "Arguments", "Logs",
            ], swiftSettings: strict),

        .executableTarget(
            name: "LedgerExample",
            dependencies: ["LedgerAPI", "ResourceServer", "HTTPServer", "HTTPCore", "Basics", "Arguments", "Logs"],
            path: "examples/resource-server/Command", swiftSettings: strict),

        .executableTarget(
            name: "BenchmarkParts",
            dependencies: [
                "Cloakroom", "BFFAPI", "DaVinciProduct", "JourneyProduct", "ProductKit", "BFF", "ResourceServer",
                "OpenIDConnect", "IdentitySimulator", "Sessions", "StorageSQLite", "StorageRedis", "StorageKit",
                "EventLoop",
                "JOSE", "HTTPServer", "HTTPCore", "Cryptography", "JSON", "Basics", "Logs",
            ], path: "benchmarks/Parts", swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: [
                "JourneyProduct", "BFF", "Sessions", "DaVinciClient", "OpenIDConnect", "Discovery", "Orchestrate",
                "ResourceServer", "StorageKit", "JOSE", "Cryptography", "HTTPCore", "YAML", "JSON", "Basics", "Logs",
            ],
            path: "Tests/Support", swiftSettings: strict),
        tests("BasicsTests", ["Basics", "TestSupport"]),
        tests("JSONTests", ["JSON"]),
        tests("LogsTests", ["Logs", "JSON", "Basics", "TestSupport"]),
        tests("YAMLTests", ["YAML"]),
        tests("ArgumentsTests", ["Arguments", "Logs", "Basics"]),
        tests("HTTPCoreTests", ["HTTPCore", "Basics"]),
        tests("CryptographyTests", ["Cryptography", "Basics", "TestSupport"]),
        tests("HTTPServerTests", ["HTTPServer", "EventLoop", "HTTPCore", "Basics", "TestSupport", "Logs"]),
        tests("EventLoopTests", ["EventLoop", "Basics", "TestSupport", "Logs"]),
        tests(
            "HTTPCodecTests",
            ["CCurl", "HTTPClient", "HTTPCodec", "EventLoop", "HTTPCore", "Basics", "TestSupport"]),
        tests(
            "HTTPClientTests",
            ["HTTPClient", "EventLoop", "HTTPCore", "Basics", "TestSupport", "Logs"]),
        tests("JOSETests", ["JOSE", "Cryptography", "JSON", "Basics", "TestSupport"], exclude: ["make_tokens.py"]),
        tests(
            "StorageTests",
            [
                "StorageRedis", "StorageSQLite", "StorageKit", "EventLoop", "Cryptography", "Basics", "TestSupport",
                "Logs",
            ]),
        tests("DiscoveryTests", ["Discovery", "JOSE", "HTTPCore", "JSON", "Basics", "TestSupport", "Logs"]),
        tests("OrchestrateTests", ["Orchestrate", "HTTPCore", "JSON", "Basics", "TestSupport", "Logs"]),
        tests(
            "OpenIDConnectTests",
            [
                "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "JOSE", "Cryptography", "HTTPCore", "JSON",
                "Basics", "TestSupport", "Logs",
            ]),
        tests(
            "JourneyClientTests",
            [
                "JourneyClient", "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "JOSE", "HTTPCore",
                "JSON", "Basics", "TestSupport", "Logs",
            ]),
        tests(
            "DaVinciClientTests",
            [
                "DaVinciClient", "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "HTTPCore", "JSON",
                "Basics", "TestSupport",
            ]),
        tests(
            "SimulatorTests",
            [
                "IdentitySimulator", "DaVinciClient", "OpenIDConnect", "Orchestrate", "StorageKit", "HTTPServer",
                "HTTPClient", "EventLoop", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport",
                "Logs",
            ]),
        tests(
            "SessionsTests",
            ["Sessions", "StorageSQLite", "StorageKit", "Cryptography", "Basics", "TestSupport", "Logs"]),
        tests(
            "BFFTests",
            [
                "BFFAPI", "JourneyProduct", "DaVinciProduct", "BFF", "Sessions", "JourneyClient", "DaVinciClient",
                "ResourceServer", "OpenIDConnect", "Orchestrate", "Discovery", "StorageSQLite", "StorageKit",
                "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport", "Logs",
            ]),
        tests(
            "BFFAPITests",
            [
                "BFFAPI", "JourneyProduct", "BFF", "Sessions", "ResourceServer", "JourneyClient", "Orchestrate",
                "HTTPServer", "StorageKit",
                "Cryptography", "Discovery", "HTTPCore", "JSON", "Basics", "TestSupport", "Logs",
            ]),
        tests(
            "CloakroomTests",
            [
                "CloakroomCommand", "CloakroomDemo", "LedgerExample", "Cloakroom", "BFFAPI", "JourneyProduct",
                "DaVinciProduct", "ProductKit", "SettingsKit", "BFF", "ResourceServer", "JourneyClient",
                "DaVinciClient", "Discovery", "IdentitySimulator", "HTTPServer", "HTTPClient", "EventLoop", "Sessions",
                "StorageRedis", "StorageSQLite", "StorageKit", "OpenIDConnect", "Orchestrate", "JOSE", "Cryptography",
                "HTTPCore", "JSON", "Basics", "TestSupport", "Arguments", "Logs",
            ], exclude: ["Refused"]),
        tests(
            "ConformanceTests",
            [
                "BFFAPI", "JourneyProduct", "BFF", "ResourceServer", "JourneyClient", "DaVinciClient",
                "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "HTTPServer", "HTTPClient", "EventLoop",
                "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport", "Logs",
            ], exclude: ["Fixtures"]),
        tests(
            "ResourceServerTests",
            [
                "ResourceServer", "Discovery", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport",
                "Logs",
            ]),
        tests(
            "DocumentationTests",
            [
                "Cloakroom", "JourneyClient", "DaVinciClient", "ResourceServer", "OpenIDConnect", "Orchestrate",
                "Discovery", "IdentitySimulator", "StorageSQLite", "StorageKit", "HTTPServer", "HTTPClient",
                "HTTPCore", "JSON", "Basics", "TestSupport", "Logs",
            ]),
        tests("ArchitectureTests", []),
        // The whole server in a simulated world: `make simulate`. What is linked into it is there for the process as a whole.
        .target(name: "CSimulation", path: "Tests/CSimulation"),
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "CSimulation", "BFFAPI", "JourneyProduct", "DaVinciProduct", "BFF", "ResourceServer", "JourneyClient",
                "DaVinciClient", "OpenIDConnect",
                "JOSE",
                "Discovery", "IdentitySimulator", "StorageSQLite", "StorageKit", "Sessions", "HTTPServer", "HTTPCore",
                "JSON", "Basics",
                "Logs",
            ], path: "Tests/Simulation", swiftSettings: strict),
        // At a real AM and a real OpenID provider: `make live`. `make test` leaves it out.
        tests(
            "LiveTests",
            [
                "COpenSSL", "JourneyClient", "OpenIDConnect", "ResourceServer", "Orchestrate", "Discovery",
                "StorageKit", "HTTPServer", "HTTPClient", "EventLoop", "JOSE", "Cryptography", "HTTPCore", "YAML",
                "JSON", "Basics", "TestSupport", "Logs",
            ]),
    ]
)
