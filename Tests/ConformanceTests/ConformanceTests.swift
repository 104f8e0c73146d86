import Testing

/// The fixtures of one kind; empty when the folder is absent.
private func load(_ folder: String, prefixes: [String] = [""]) -> [Fixture] {
    (try? FixtureFolder.current.fixtures(folder, prefixes: prefixes)) ?? []
}

private let absent: Comment =
    "Answers of providers are not replayed: there is no \(FixtureFolder.current.path); CLOAKROOM_FIXTURES may name another folder"

@Suite("What providers really answer", .enabled(if: FixtureFolder.current.isThere, absent))
struct ConformanceTests {
    @Test("is understood by the journey client", arguments: load("journey"))
    func journey(fixture: Fixture) async throws {
        judge(fixture, try await JourneyReplay.differences(fixture))
    }

    @Test("is understood by the OpenID client", arguments: load("oidc", prefixes: OIDCReplay.prefixes))
    func openID(fixture: Fixture) async throws {
        judge(fixture, try await OIDCReplay.differences(fixture))
    }

    @Test(
        "is understood by the resource server and the step-up loop",
        arguments: load("oidc", prefixes: ResourceReplay.prefixes))
    func resourceServer(fixture: Fixture) async throws {
        judge(fixture, try await ResourceReplay.differences(fixture))
    }

    @Test func `is there in full, and every listed file exists`() throws {
        let journey = try FixtureFolder.current.fixtures("journey")
        let openID = try FixtureFolder.current.fixtures("oidc", prefixes: OIDCReplay.prefixes)
        let resource = try FixtureFolder.current.fixtures("oidc", prefixes: ResourceReplay.prefixes)
        #expect(!journey.isEmpty)
        #expect(!openID.isEmpty)
        #expect(!resource.isEmpty)
        // Every file is of exactly one part: none is passed over, none is counted twice.
        let all = try FixtureFolder.current.fixtures("oidc").map(\.name)
        #expect((openID + resource).map(\.name).sorted() == all)
        let names = Set((journey + openID + resource).map(\.name))
        for file in unsupported.keys.sorted() { #expect(names.contains(file), "\(file) is listed and not there") }
    }

    private func judge(_ fixture: Fixture, _ differences: [String]) {
        if let reason = unsupported[fixture.name] {
            #expect(!differences.isEmpty, "listed as unsupported (\(reason)) and passes: take it off the table")
        } else {
            for difference in differences { Issue.record("\(difference)") }
        }
    }
}
