import JSON
import Testing

@Suite("What providers answer")
struct ConformanceTests {
    @Test("is understood by the journey client", arguments: FixtureFile.all("journey"))
    func journey(file: FixtureFile) async throws {
        try await judge(file, JourneyReplay.differences)
    }

    @Test("is understood by the DaVinci client", arguments: FixtureFile.all("davinci"))
    func davinci(file: FixtureFile) async throws {
        let pages = file.folder.files("davinci").compactMap { try? $0.read().body.object }
        try await judge(file) { try await DaVinciReplay.differences($0, pages: pages) }
    }

    @Test("is understood by the OpenID client", arguments: FixtureFile.all("oidc", prefixes: OIDCReplay.prefixes))
    func openID(file: FixtureFile) async throws {
        try await judge(file, OIDCReplay.differences)
    }

    @Test(
        "is understood by the resource server and the step-up loop",
        arguments: FixtureFile.all("oidc", prefixes: ResourceReplay.prefixes))
    func resourceServer(file: FixtureFile) async throws {
        try await judge(file, ResourceReplay.differences)
    }

    @Test func `is replayed file by file, from every folder that is there`() throws {
        for folder in FixtureFolder.all {
            #expect(folder.complaint == nil)
            // Every file is of exactly one kind: none is passed over, none is replayed twice.
            let known =
                folder.files("oidc", prefixes: OIDCReplay.prefixes)
                + folder.files("oidc", prefixes: ResourceReplay.prefixes)
            #expect(known.map(\.name).sorted() == folder.files("oidc").map(\.name), "in \(folder.path)")
            for part in FixtureFolder.replayed where !folder.parts.contains(part) {
                print("\(folder.path) has no \(part): nothing of it is replayed")
            }
            for part in folder.parts where !(FixtureFolder.replayed + ["issuers"]).contains(part) {
                print("\(folder.path)/\(part) is not replayed: there is no client for it")
            }
        }
    }

    @Test func `is there in the repository, for every client`() throws {
        let own = FixtureFolder.own
        #expect(own.parts == ["davinci", "issuers", "journey", "oidc"])
        for kind in OIDCReplay.prefixes + ResourceReplay.prefixes {
            #expect(!own.files("oidc", prefixes: [kind]).isEmpty, "no file \(kind)…")
        }
        let files = own.files("davinci") + own.files("journey") + own.files("oidc")
        #expect(files.count >= 80)
        for file in files { #expect(try file.read().source == "own", "\(file.name)") }
    }

    /// Compares what a replay gave with what the fixture can be expected to give.
    private func judge(_ file: FixtureFile, _ replay: (Fixture) async throws -> [String]) async throws {
        let fixture = try file.read()
        let differences = try await replay(fixture)
        if let reason = missing(for: fixture), !file.folder.isOwn {
            #expect(!differences.isEmpty, "cannot be done (\(reason)) and passes: take it off the table")
        } else {
            for difference in differences { Issue.record("\(difference)") }
        }
    }
}
