/// One row of the module table: a target of ours and all it may import.
struct ModuleRow {
    let name: String
    /// Targets of ours, all of them above this row.
    let modules: Set<String>
    /// Modules of the toolchain and of examples, besides `ModuleTable.free`.
    let others: Set<String>

    init(_ name: String, _ modules: String = "", others: String = "") {
        self.name = name
        self.modules = Set(modules.split(separator: " ").map(String.init))
        self.others = Set(others.split(separator: " ").map(String.init))
    }
}

/// Which target may import which: docs/architecture.md in a form that can be checked.
///
/// The order is from the bottom up; a row names only rows above it. Whatever a target uses is one of ours: `others` holds
/// the few modules of the toolchain besides the C library, and a module of an example.
enum ModuleTable {
    static let rows: [ModuleRow] = [
        ModuleRow("CMicroHTTPD"),
        ModuleRow("COpenSSL"),
        ModuleRow("CCurl"),
        ModuleRow("CSQLite"),
        ModuleRow("CHiredis"),
        ModuleRow("CYAML"),
        ModuleRow("CShims"),
        ModuleRow("CMemory"),
        ModuleRow("Basics", "CShims"),
        ModuleRow("JSON"),
        ModuleRow("Logs", "JSON Basics"),
        ModuleRow("YAML", "CYAML"),
        ModuleRow("Arguments", "Logs Basics"),
        ModuleRow("HTTPCore", "Basics"),
        ModuleRow("Cryptography", "COpenSSL Basics"),
        ModuleRow("EventLoop", "CShims Logs Basics"),
        ModuleRow("HTTPServer", "CMicroHTTPD CShims EventLoop HTTPCore Logs Basics"),
        ModuleRow("HTTPCodec", "HTTPCore Basics"),
        ModuleRow("HTTPClient", "CCurl EventLoop HTTPCodec HTTPCore Logs Basics"),
        ModuleRow("JOSE", "Cryptography JSON Basics"),
        ModuleRow("StorageKit", "Cryptography JSON Basics"),
        ModuleRow("StorageSQLite", "CSQLite StorageKit Logs Basics"),
        ModuleRow("StorageRedis", "CHiredis StorageKit EventLoop Cryptography Logs Basics"),
        ModuleRow("Discovery", "JOSE HTTPCore Logs JSON Basics"),
        ModuleRow("Orchestrate", "HTTPCore Logs JSON Basics"),
        ModuleRow("OpenIDConnect", "Discovery JOSE Cryptography Orchestrate HTTPClient HTTPCore Logs JSON Basics"),
        ModuleRow("ResourceServer", "Discovery JOSE Cryptography HTTPCore Logs JSON Basics"),
        ModuleRow("JourneyClient", "Orchestrate OpenIDConnect Discovery HTTPCore Logs JSON Basics"),
        ModuleRow("DaVinciClient", "Orchestrate OpenIDConnect HTTPCore Logs JSON Basics"),
        ModuleRow("Sessions", "StorageKit Cryptography Logs Basics"),
        ModuleRow(
            "BFF", "Sessions OpenIDConnect ResourceServer Orchestrate StorageKit JOSE Cryptography Logs JSON Basics"),
        ModuleRow("SettingsKit", "YAML HTTPCore Basics"),
        ModuleRow(
            "ProductKit",
            """
            BFF SettingsKit ResourceServer OpenIDConnect Orchestrate Discovery JOSE Cryptography HTTPCore Logs Basics
            """),
        ModuleRow(
            "JourneyProduct",
            """
            ProductKit BFF SettingsKit JourneyClient OpenIDConnect ResourceServer Orchestrate Discovery StorageKit \
            HTTPCore Logs JSON Basics
            """),
        ModuleRow(
            "DaVinciProduct",
            """
            ProductKit BFF SettingsKit DaVinciClient OpenIDConnect Orchestrate Discovery StorageKit HTTPCore Logs \
            JSON Basics
            """),
        ModuleRow("PingCompatibility", "BFF HTTPCore JSON Basics"),
        ModuleRow(
            "BFFAPI",
            "PingCompatibility BFF Sessions ResourceServer HTTPServer Cryptography HTTPCore Logs JSON Basics"),
        ModuleRow(
            "Cloakroom",
            """
            BFFAPI JourneyProduct DaVinciProduct ProductKit SettingsKit BFF JourneyClient DaVinciClient ResourceServer OpenIDConnect Discovery StorageSQLite \
            StorageRedis StorageKit JOSE HTTPClient EventLoop HTTPServer Cryptography HTTPCore YAML Logs JSON Basics
            """, others: "Dispatch"),
        ModuleRow("IdentitySimulator", "HTTPServer JOSE Cryptography HTTPCore Logs JSON Basics"),
        ModuleRow("CloakroomCommand", "Cloakroom ProductKit SettingsKit HTTPCore Arguments Logs Basics CMemory"),
        ModuleRow(
            "CloakroomDemo",
            """
            Cloakroom JourneyProduct DaVinciProduct ProductKit BFFAPI BFF ResourceServer JourneyClient \
            OpenIDConnect Discovery IdentitySimulator StorageKit \
            HTTPServer HTTPCore Cryptography Arguments Logs Basics
            """, others: "LedgerAPI"),
    ]

    /// What every target may import but those below: the C library and atomics.
    static let free: Set<String> = ["Glibc", "Musl", "Synchronization"]
    /// Targets that turn values into values and need nothing of the machine.
    static let pure: Set<String> = ["JSON", "HTTPCore", "HTTPCodec", "JOSE"]
}
