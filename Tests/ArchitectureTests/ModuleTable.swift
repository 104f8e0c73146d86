/// One row of the module table: a target of ours and all it may import.
struct ModuleRow {
    let name: String
    /// Targets of ours, all of them above this row.
    let modules: Set<String>
    /// Modules of packages and of the toolchain, besides `ModuleTable.free`.
    let others: Set<String>

    init(_ name: String, _ modules: String = "", others: String = "") {
        self.name = name
        self.modules = Set(modules.split(separator: " ").map(String.init))
        self.others = Set(others.split(separator: " ").map(String.init))
    }
}

/// Which target may import which: docs/architecture.md in a form that can be checked.
///
/// The order is from the bottom up; a row names only rows above it. `HTTPTypes` and `Logging` are spelled out, because a
/// module that speaks HTTP or logs is a decision.
enum ModuleTable {
    static let rows: [ModuleRow] = [
        ModuleRow("CMicroHTTPD"),
        ModuleRow("COpenSSL"),
        ModuleRow("CCurl"),
        ModuleRow("CSQLite"),
        ModuleRow("CShims"),
        ModuleRow("Basics", others: "Logging"),
        ModuleRow("JSON"),
        ModuleRow("HTTPCore", "JSON Basics", others: "HTTPTypes"),
        ModuleRow("Cryptography", "COpenSSL Basics"),
        ModuleRow(
            "HTTPServer", "CMicroHTTPD CShims HTTPCore Basics", others: "HTTPTypes Logging"),
        ModuleRow("EventLoop", "CShims Basics"),
        ModuleRow("HTTPClient", "CCurl EventLoop HTTPCore Basics", others: "HTTPTypes Logging"),
        ModuleRow("JOSE", "Cryptography JSON Basics"),
        ModuleRow("StorageKit", "Cryptography Basics", others: "Logging"),
        ModuleRow("StorageSQLite", "CSQLite StorageKit Basics", others: "Logging"),
        ModuleRow("Discovery", "JOSE HTTPCore JSON Basics", others: "HTTPTypes Logging"),
        ModuleRow("Orchestrate", "HTTPCore JSON Basics", others: "HTTPTypes Logging FoundationEssentials"),
        ModuleRow(
            "OpenIDConnect", "Discovery JOSE Cryptography StorageKit Orchestrate HTTPCore JSON Basics",
            others: "HTTPTypes Logging"),
        ModuleRow("ResourceServer", "Discovery JOSE Cryptography HTTPCore JSON Basics", others: "HTTPTypes Logging"),
        ModuleRow(
            "JourneyClient", "Orchestrate OpenIDConnect StorageKit HTTPCore JSON Basics", others: "HTTPTypes Logging"),
        ModuleRow(
            "BFF", "JourneyClient OpenIDConnect ResourceServer Orchestrate StorageKit Cryptography JSON Basics",
            others: "Logging"),
        ModuleRow(
            "BFFAPI", "BFF ResourceServer HTTPServer Cryptography HTTPCore JSON Basics", others: "HTTPTypes Logging"),
        ModuleRow(
            "Cloakroom",
            """
            BFFAPI BFF JourneyClient ResourceServer OpenIDConnect Orchestrate Discovery StorageSQLite StorageKit \
            JOSE HTTPClient EventLoop HTTPServer Cryptography HTTPCore JSON Basics
            """, others: "HTTPTypes Logging Yams Dispatch"),
        ModuleRow(
            "IdentitySimulator", "HTTPServer JOSE Cryptography HTTPCore JSON Basics", others: "HTTPTypes Logging"),
        ModuleRow(
            "CloakroomCommand", "Cloakroom StorageKit HTTPCore Basics", others: "ArgumentParser Foundation Logging"),
        ModuleRow(
            "CloakroomDemo",
            """
            Cloakroom BFFAPI BFF ResourceServer OpenIDConnect IdentitySimulator StorageKit HTTPServer HTTPCore \
            Cryptography Basics
            """, others: "LedgerAPI ArgumentParser HTTPTypes Logging"),
    ]

    /// What every target may import but those below: the C library and atomics.
    static let free: Set<String> = ["Glibc", "Musl", "Synchronization"]
    /// Targets that turn values into values and need nothing of the machine.
    static let pure: Set<String> = ["JSON", "HTTPCore", "JOSE"]
}
