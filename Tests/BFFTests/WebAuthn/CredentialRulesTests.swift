import BFF
import JSON
import TestSupport
import Testing

@Suite("A browser's credential")
struct CredentialRulesTests {
    private static let page = "https://app.example.com"
    private static let rules = CredentialRules(
        origins: [(page, "app.example.com"), ("https://other.example.org:8443", "other.example.org")],
        relyingParties: ["related.example"])

    private static func creation(_ relyingParty: String? = "example.com") -> JSONObject {
        var party: JSONObject = ["name": "Example"]
        if let relyingParty { party["id"] = .string(relyingParty) }
        return [
            "rp": .object(party), "user": ["id": "dTE", "name": "u1", "displayName": "u1"], "challenge": "-_-_",
            "pubKeyCredParams": .array([-7, -8, -257].map { ["type": "public-key", "alg": $0] }),
        ]
    }

    private static func request(_ relyingParty: String? = "example.com", allowed: [JSONValue] = []) -> JSONObject {
        var options: JSONObject = ["challenge": "AQID", "allowCredentials": .array(allowed)]
        if let relyingParty { options["rpId"] = .string(relyingParty) }
        return options
    }

    /// What is wrong with a new credential, and with a signature of one.
    private func faults(
        _ change: (inout SoftwareAuthenticator.Deviation) -> Void, origin: String = page,
        relyingParty: String? = "example.com"
    ) throws -> [CredentialProblem?] {
        let authenticator = SoftwareAuthenticator(origin: origin)
        var deviation = SoftwareAuthenticator.Deviation()
        change(&deviation)
        let creation = Self.creation(relyingParty), request = Self.request(relyingParty)
        return [
            Self.rules.problem(with: try authenticator.create(.object(creation), deviation), for: creation),
            Self.rules.problem(with: try authenticator.get(.object(request), deviation), for: request),
        ]
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases, [false, true])
    func `that does what was asked for is good`(algorithm: SoftwareAuthenticator.Algorithm, isPacked: Bool) throws {
        let authenticator = SoftwareAuthenticator(origin: Self.page, algorithm: algorithm, isPacked: isPacked)
        let creation = Self.creation()
        let created = try authenticator.create(.object(creation))
        #expect(Self.rules.problem(with: created, for: creation) == nil)
        let request = Self.request(allowed: [["type": "public-key", "id": created["id"] ?? ""]])
        #expect(Self.rules.problem(with: try authenticator.get(.object(request)), for: request) == nil)
    }

    @Test func `has the type of what was asked for`() throws {
        #expect(try faults { $0.clientType = "webauthn.other" } == [.wrongType, .wrongType])
        let authenticator = SoftwareAuthenticator(origin: Self.page)
        let creation = Self.creation(), request = Self.request()
        let created = try authenticator.create(.object(creation))
        #expect(Self.rules.problem(with: created, for: request) == .wrongType)
        #expect(Self.rules.problem(with: try authenticator.get(.object(request)), for: creation) == .wrongType)
        for (name, value) in [("type", "password"), ("id", "AAAA"), ("rawId", "AAAA"), ("id", ""), ("rawId", "=")] {
            var other = created.object ?? [:]
            other[name] = .string(value)
            #expect(Self.rules.problem(with: .object(other), for: creation) == .wrongType)
        }
        var emptied = created.object ?? [:]
        (emptied["id"], emptied["rawId"]) = ("", "")
        #expect(Self.rules.problem(with: .object(emptied), for: creation) == .wrongType)
        #expect(Self.rules.problem(with: [:], for: creation) == .wrongType)
    }

    @Test func `has the challenge of the page`() throws {
        #expect(try faults { $0.challenge = "AQIE" } == [.wrongChallenge, .wrongChallenge])
        #expect(try faults { $0.challenge = "" } == [.wrongChallenge, .wrongChallenge])
        #expect(try faults { $0.challenge = "+/+/" } == [.wrongChallenge, .wrongChallenge])
    }

    @Test(arguments: [
        "https://evil.example", "http://app.example.com", "https://app.example.com:444", "https://x.app.example.com",
        "https://app.example.com.evil.example", "null", "",
    ])
    func `was made on a page of ours`(origin: String) throws {
        #expect(try faults({ _ in }, origin: origin) == [.wrongOrigin, .wrongOrigin])
    }

    @Test func `was not made in a frame of another site`() throws {
        for crossOrigin: JSONValue in [true, "true", 1, .null] {
            #expect(try faults { $0.crossOrigin = crossOrigin } == [.wrongOrigin, .wrongOrigin])
        }
        #expect(try faults { $0.crossOrigin = nil } == [nil, nil])
    }

    @Test func `is of the relying party that was asked for`() throws {
        #expect(
            try faults { $0.relyingParty = "app.example.com" } == [.wrongRelyingParty, .wrongRelyingParty])
        // Where none is named it is the host of the page.
        #expect(try faults({ _ in }, relyingParty: nil) == [nil, nil])
        #expect(
            try faults({ $0.relyingParty = "example.com" }, relyingParty: nil)
                == [.wrongRelyingParty, .wrongRelyingParty])
    }

    @Test func `is of a relying party that a page of ours can stand for`() throws {
        for good in ["app.example.com", "example.com", "com", "related.example"] {
            #expect(try faults({ _ in }, relyingParty: good) == [nil, nil], "\(good)")
            #expect(Self.rules.accepts(relyingParty: good))
        }
        // The host of another page of ours is for that page alone.
        let others = "https://other.example.org:8443"
        #expect(Self.rules.accepts(relyingParty: "other.example.org"))
        #expect(try faults({ _ in }, origin: others, relyingParty: "other.example.org") == [nil, nil])
        #expect(
            try faults({ _ in }, relyingParty: "other.example.org") == [.wrongRelyingParty, .wrongRelyingParty])
        for bad in ["ple.com", "evil.example", "x.app.example.com", "x.related.example", ".com", ""] {
            #expect(try faults({ _ in }, relyingParty: bad) == [.wrongRelyingParty, .wrongRelyingParty], "\(bad)")
            #expect(!Self.rules.accepts(relyingParty: bad))
        }
        #expect(Self.rules.accepts(relyingParty: nil))
    }

    @Test func `is one of those that the page lists, where it lists any`() throws {
        let authenticator = SoftwareAuthenticator(origin: Self.page)
        let created = try authenticator.create(.object(Self.creation()))
        let got = try authenticator.get(.object(Self.request()))
        let other: JSONValue = ["type": "public-key", "id": "AAAA"]
        #expect(Self.rules.problem(with: got, for: Self.request(allowed: [other])) == .notOffered)
        let listed: JSONValue = ["type": "public-key", "id": created["id"] ?? ""]
        #expect(Self.rules.problem(with: got, for: Self.request(allowed: [other, listed])) == nil)
    }

    @Test func `says something about its authenticator`() throws {
        let authenticator = SoftwareAuthenticator(origin: Self.page)
        let creation = Self.creation(), request = Self.request()
        func changed(_ credential: JSONValue, _ name: String, _ value: JSONValue) -> JSONValue {
            var object = credential.object ?? [:], response = credential["response"]?.object ?? [:]
            response[name] = value
            object["response"] = .object(response)
            return .object(object)
        }
        let created = try authenticator.create(.object(creation)), got = try authenticator.get(.object(request))
        for odd: JSONValue in ["", "AAAA", "=", 5] {
            let attested = changed(created, "attestationObject", odd)
            #expect(Self.rules.problem(with: attested, for: creation) == .wrongType)
            let said = changed(got, "authenticatorData", odd)
            #expect(Self.rules.problem(with: said, for: request) == .wrongType)
            for credential in [created, got] {
                let told = changed(credential, "clientDataJSON", odd)
                let options = credential == created ? creation : request
                #expect(Self.rules.problem(with: told, for: options) == .wrongType)
            }
        }
    }
}
