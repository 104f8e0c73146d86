import Basics
import HTTPCore
import JSON

/// Runs the resource server and the step-up loop against what a fixture says.
struct ResourceReplay {
    let fixture: Fixture
    let url: WebURL?
    var comparison = Comparison()

    /// The fixture files of the resource server's part.
    static let prefixes = ["introspection-", "jwt-", "rs-", "ssoadvice-"]

    private init(_ fixture: Fixture) {
        self.fixture = fixture
        url = (fixture.request?["url"]?.string).flatMap { WebURL($0) }
    }

    /// Everything in which our code does not do as the fixture says.
    static func differences(_ fixture: Fixture) async throws -> [String] {
        var replay = ResourceReplay(fixture)
        let file = fixture.name.split(separator: "/").last ?? ""
        switch file.prefix(while: { $0 != "-" }) {
        case "introspection": try await replay.introspection()
        case "jwt": try await replay.jwt()
        case "rs":
            try await replay.ownChallenge()
            try await replay.call()
        case "ssoadvice": try await replay.advice()
        default: replay.comparison.differs("the resource server has no such part")
        }
        return replay.comparison.differences
    }

    /// The attributes of the fixture's `Bearer` challenge, read by other means than those under test.
    var bearer: [String: String] {
        guard let field = fixture.header("WWW-Authenticate"), let scheme = field.firstRange(of: "Bearer ") else {
            return [:]
        }
        var attributes: [String: String] = [:]
        for match in field[scheme.upperBound...].matches(of: /([a-z_]+)=(?:"([^"]*)"|([^\s,"]+))/) {
            attributes[String(match.1)] = String(match.2 ?? match.3 ?? "")
        }
        return attributes
    }
}

/// The parts of an answer of ours.
struct OwnAnswer: Sendable {
    let status: Int
    /// Names in lower case.
    let headers: [(name: String, value: String)]
    let body: JSONValue?

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    func all(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    /// The last part of a problem's type; nil for anything else.
    var problem: String? {
        guard header("content-type") == "application/problem+json" else { return nil }
        return body?["type"]?.string?.split(separator: "/").last.map { String($0) }
    }
}
