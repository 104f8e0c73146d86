import Basics
import HTTPCore
import JSON
import ResourceServer
import Testing

/// One use of a token of somebody else's, and what is right for it.
struct ForeignCase: Sendable, CustomTestStringConvertible {
    let folder: ForeignFolder
    let name: String
    /// Names the discovery document: `keycloak-26.5.0`.
    let provider: String
    let token: String
    let claims: JSONObject
    /// Names the key set.
    let keys: String
    /// When the token was good, in seconds since 1970; nil for an opaque one.
    let validFrom: Int64?
    /// The access token that came with an ID token, where the folder says it.
    let access: String?
    let want: JSONObject

    var testDescription: String { "\(name), \(JSONValue.object(want).text)\(folder.mark)" }

    /// `access`, `id` or `logout`.
    var use: String { want["as"]?.string ?? "" }

    /// Every use that a folder lists.
    static let all: [ForeignCase] = ForeignFolder.all.flatMap { folder -> [ForeignCase] in
        let entries = (try? folder.json("tokens.json"))?.array ?? []
        return entries.flatMap { entry in
            (entry["want"]?.array ?? []).compactMap { want in
                guard let name = entry["name"]?.string, let provider = entry["issuer"]?.string,
                    let token = entry["token"]?.string, let want = want.object
                else { return nil }
                return ForeignCase(
                    folder: folder, name: name, provider: provider, token: token,
                    claims: entry["claims"]?.object ?? [:],
                    keys: entry["keys"]?.string ?? "", validFrom: entry["valid_from"]?.int,
                    access: entry["access"]?.string, want: want)
            }
        }
    }

    static func uses(_ use: String) -> [ForeignCase] { all.filter { $0.use == use } }

    /// The requirement, in the words of the folder.
    func requirement() throws -> Requirement {
        switch want["requirement"]?.string {
        case "signed-in": Requirement(name: "signed-in")
        case "scope read": Requirement(name: "asked", scopes: ["read"])
        case "scope read, machines: true": Requirement(name: "asked", scopes: ["read"], machines: true)
        case "acr at least gold of bronze, silver, gold":
            Requirement(
                name: "asked", acr: .order(["bronze", "silver", "gold"], minimum: "gold"), maxAge: .session,
                challengeACR: "gold")
        default: throw Fixture.Malformed(name: name, member: "requirement")
        }
    }

    /// The profile; introspection does not look at it.
    func profile() throws -> TokenProfile {
        guard let text = want["profile"]?.string else { return .jwt }
        guard let profile = TokenProfile(rawValue: text) else { throw Fixture.Malformed(name: name, member: "profile") }
        return profile
    }

    /// The body of the answer that the use names, `provider / answer`; nil for uses without one.
    func answer() throws -> String? {
        guard let path = want["answer"]?.string else { return nil }
        let names = path.split(separator: " / ").map { String($0) }
        guard names.count == 2,
            let entry = try folder.json("introspection-answers.json")[names[0]]?[names[1]]
        else { throw Fixture.Malformed(name: name, member: "answer") }
        return (entry["answer"] ?? entry).asBody
    }
}

extension JSONValue {
    /// As it travels: a text is the body itself.
    var asBody: String { string ?? text }
}
