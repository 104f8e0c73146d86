// swift-tools-version: 6.2
import PackageDescription

// Taken out of the repository, this folder is a package; `path` says where the repository lies.
let package = Package(
    name: "ledger",
    dependencies: [.package(name: "cloakroom", path: "../cloakroom")],
    targets: [
        .executableTarget(
            name: "ledger",
            dependencies: [
                .product(name: "ResourceServer", package: "cloakroom"),
                .product(name: "HTTPServer", package: "cloakroom"),
                .product(name: "Arguments", package: "cloakroom"),
            ],
            path: ".", exclude: ["README.md"], sources: ["Ledger", "Command"])
    ])
