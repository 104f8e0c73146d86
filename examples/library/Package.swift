// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "shop",
    dependencies: [.package(name: "cloakroom", path: "../cloakroom")],
    targets: [
        .executableTarget(
            name: "shop",
            dependencies: [
                .product(name: "JourneyClient", package: "cloakroom")
            ])
    ])
