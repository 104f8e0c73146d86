// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

func library(_ name: String, _ others: [String]) -> Product {
    .library(name: name, targets: [name] + others)
}

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
        library("Orchestrate", ["HTTPClient", "EventLoop", "HTTPCore", "JSON", "Basics"]),
        library(
            "JourneyClient",
            [
                "OpenIDConnect", "Orchestrate", "Discovery", "StorageKit", "HTTPClient", "EventLoop", "HTTPCore",
                "JSON",
                "Basics",
            ]),
        library("OpenIDConnect", ["Discovery", "JOSE", "HTTPClient", "EventLoop", "HTTPCore", "JSON", "Basics"]),
        library("StorageKit", ["Basics"]),
        library("ResourceServer", ["Discovery", "JOSE", "HTTPClient", "EventLoop", "HTTPCore", "JSON", "Basics"]),
        library("Cloakroom", ["StorageKit", "Basics"]),
        .executable(name: "cloakroom", targets: ["CloakroomCommand"]),
        .executable(name: "cloakroom-demo", targets: ["CloakroomDemo"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        // The order is the order of the module table: a target imports only targets above its own row.
        system("CMicroHTTPD", apt: "libmicrohttpd-dev"),
        system("COpenSSL", apt: "libssl-dev"),
        system("CCurl", apt: "libcurl4-openssl-dev"),
        system("CSQLite", apt: "libsqlite3-dev"),
        .target(name: "CShims"),
        module("Basics", [log]),
        module("JSON", []),
        module("HTTPCore", [httpTypes, "JSON", "Basics"]),
        module("Cryptography", ["COpenSSL", "Basics"]),
        module("HTTPServer", ["CMicroHTTPD", "CShims", "HTTPCore", "Basics", httpTypes, log]),
        module("EventLoop", ["CShims", "Basics", log]),
        module("HTTPClient", ["CCurl", "CShims", "EventLoop", "HTTPCore", "Basics", httpTypes, log]),
        module("JOSE", ["Cryptography", "JSON", "Basics"]),
        module("StorageKit", ["Cryptography", "Basics", log]),
        module("StorageSQLite", ["CSQLite", "StorageKit", "Basics", log]),
        module("Discovery", ["JOSE", "HTTPCore", "JSON", "Basics", httpTypes, log]),
        module("Orchestrate", ["HTTPCore", "JSON", "Basics", httpTypes, log]),
        module(
            "OpenIDConnect",
            [
                "Discovery", "JOSE", "Cryptography", "StorageKit", "Orchestrate", "HTTPCore", "JSON", "Basics",
                httpTypes, log,
            ]),
        module(
            "ResourceServer",
            ["Discovery", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", httpTypes, log]),
        module(
            "JourneyClient",
            ["Orchestrate", "OpenIDConnect", "StorageKit", "HTTPCore", "JSON", "Basics", httpTypes, log]),
        module(
            "BFF",
            [
                "JourneyClient", "ResourceServer", "OpenIDConnect", "Orchestrate", "StorageKit", "Cryptography",
                "HTTPCore",
                "JSON", "Basics", log,
            ]),
        module(
            "BFFAPI",
            ["BFF", "ResourceServer", "HTTPServer", "Cryptography", "HTTPCore", "JSON", "Basics", httpTypes, log]),
        module(
            "Cloakroom",
            [
                "BFFAPI", "BFF", "ResourceServer", "JourneyClient", "OpenIDConnect", "Orchestrate", "Discovery",
                "StorageSQLite",
                "StorageKit", "HTTPClient", "HTTPServer", "EventLoop", "HTTPCore", "JOSE", "Cryptography", "JSON",
                "Basics", yams, httpTypes, log,
            ]),
        module(
            "IdentitySimulator",
            ["HTTPServer", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", httpTypes, log]),
        .target(
            name: "LedgerAPI",
            dependencies: [
                "ResourceServer", "Discovery", "HTTPClient", "EventLoop", "HTTPServer", "HTTPCore", "JSON", "Basics",
                httpTypes, log,
            ], path: "examples/resource-server/Ledger", swiftSettings: strict),
        .executableTarget(
            name: "CloakroomCommand", dependencies: ["Cloakroom", "StorageKit", "HTTPCore", "Basics", arguments, log],
            swiftSettings: strict),
        .executableTarget(
            name: "CloakroomDemo",
            dependencies: [
                "Cloakroom", "BFFAPI", "BFF", "LedgerAPI", "ResourceServer", "OpenIDConnect", "IdentitySimulator",
                "StorageKit", "HTTPServer", "HTTPCore", "Cryptography", "Basics", arguments, httpTypes, log,
            ], swiftSettings: strict),

        .executableTarget(
            name: "LedgerExample",
            dependencies: ["LedgerAPI", "ResourceServer", "HTTPServer", "HTTPCore", "Basics", arguments, log],
            path: "examples/resource-server/Command", swiftSettings: strict),

        .executableTarget(
            name: "BenchmarkParts",
            dependencies: [
                "Cloakroom", "BFFAPI", "BFF", "ResourceServer", "OpenIDConnect", "IdentitySimulator", "StorageKit",
                "JOSE", "HTTPServer", "HTTPCore", "Cryptography", "JSON", "Basics", httpTypes, log,
            ], path: "benchmarks/Parts", swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: ["BFF", "OpenIDConnect", "StorageKit", "HTTPCore", "JSON", "Basics", httpTypes, log],
            path: "Tests/Support", swiftSettings: strict),
        tests("BasicsTests", ["Basics", "TestSupport"]),
        tests("JSONTests", ["JSON", "TestSupport"]),
        tests("HTTPCoreTests", ["HTTPCore", "JSON", "Basics", "TestSupport", httpTypes]),
        tests("CryptographyTests", ["Cryptography", "Basics", "JSON", "TestSupport"]),
        tests("HTTPServerTests", ["HTTPServer", "HTTPCore", "Basics", "TestSupport", httpTypes, log]),
        tests(
            "HTTPClientTests",
            ["HTTPClient", "EventLoop", "HTTPServer", "HTTPCore", "Basics", "TestSupport", httpTypes, log]),
        tests("JOSETests", ["JOSE", "Cryptography", "JSON", "Basics", "TestSupport"], exclude: ["make_tokens.py"]),
        tests("StorageTests", ["StorageSQLite", "StorageKit", "Cryptography", "Basics", "TestSupport", log]),
        tests("DiscoveryTests", ["Discovery", "JOSE", "HTTPCore", "JSON", "Basics", "TestSupport", httpTypes, log]),
        tests("OrchestrateTests", ["Orchestrate", "HTTPCore", "JSON", "Basics", "TestSupport", httpTypes, log]),
        tests(
            "OpenIDConnectTests",
            [
                "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "JOSE", "Cryptography", "HTTPCore", "JSON",
                "Basics", "TestSupport", httpTypes, log,
            ]),
        tests(
            "JourneyClientTests",
            [
                "JourneyClient", "OpenIDConnect", "Discovery", "Orchestrate", "StorageKit", "JOSE", "HTTPCore", "JSON",
                "Basics",
                "TestSupport", httpTypes, log,
            ]),
        tests(
            "SimulatorTests",
            [
                "IdentitySimulator", "HTTPClient", "EventLoop", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics",
                "TestSupport", httpTypes, log,
            ]),
        tests(
            "BFFTests",
            [
                "BFF", "JourneyClient", "ResourceServer", "OpenIDConnect", "Orchestrate", "StorageSQLite", "StorageKit",
                "Cryptography", "JSON", "Basics", "TestSupport", log,
            ]),
        tests(
            "BFFAPITests",
            [
                "BFFAPI", "BFF", "ResourceServer", "JourneyClient", "HTTPServer", "StorageKit", "Cryptography",
                "HTTPCore", "JSON", "Basics", "TestSupport", yams, httpTypes, log,
            ]),
        tests(
            "CloakroomTests",
            [
                "CloakroomCommand", "Cloakroom", "BFFAPI", "BFF", "ResourceServer", "Discovery", "IdentitySimulator",
                "HTTPServer", "HTTPClient", "EventLoop", "StorageSQLite", "StorageKit", "OpenIDConnect", "JOSE",
                "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport", yams, httpTypes, log,
            ]),
        tests(
            "ConformanceTests",
            [
                "BFFAPI", "BFF", "ResourceServer", "JourneyClient", "OpenIDConnect", "Discovery", "Orchestrate",
                "StorageKit", "HTTPServer", "HTTPClient", "EventLoop", "JOSE", "Cryptography", "HTTPCore", "JSON",
                "Basics", "TestSupport", httpTypes, log,
            ]),
        tests(
            "ResourceServerTests",
            [
                "ResourceServer", "Discovery", "JOSE", "Cryptography", "HTTPCore", "JSON", "Basics", "TestSupport",
                httpTypes, log,
            ]),
        tests(
            "DocumentationTests",
            [
                "Cloakroom", "JourneyClient", "ResourceServer", "OpenIDConnect", "Orchestrate", "Discovery",
                "StorageKit", "HTTPCore", "JSON", "Basics", "TestSupport", log,
            ]),
        tests("ArchitectureTests", ["TestSupport"]),
    ]
)
