internal import JSON
internal import Orchestrate

/// The password rules that can be checked before the password is sent; lengths and counts are in Unicode scalars.
///
/// The provider checks history, profile data, common words and similarity to the current password.
struct PasswordPolicy: Sendable, Equatable {
    /// The most character sets that are checked; each is compared with the whole password.
    static let mostSets = 32

    /// The rules of the policy, without names, ids or dates.
    let document: JSONObject

    /// Reads a policy, any part of which may be missing; nil for a value that is not an object.
    init?(_ json: JSONValue?) {
        guard let json = json?.object else { return nil }
        var document = JSONObject()
        for (name, value) in json {
            switch name {
            case "length":
                let ends =
                    value.object?.filter { ["min", "max"].contains($0.name) && Self.count($0.value) != nil } ?? []
                if !ends.isEmpty { document[name] = .object(JSONObject(ends.map { ($0.name, $0.value) })) }
            case "minUniqueCharacters", "maxRepeatedCharacters":
                if Self.count(value) != nil { document[name] = value }
            case "minCharacters":
                let sets = (value.object?.filter { Self.count($0.value) != nil } ?? []).prefix(Self.mostSets)
                if !sets.isEmpty { document[name] = .object(JSONObject(sets.map { ($0.name, $0.value) })) }
            default: break
            }
        }
        self.document = document
    }

    /// The rules that a password breaks.
    func refusals(of password: String) -> [AnswerRefusal] {
        let scalars = Array(password.unicodeScalars)
        var refusals: [AnswerRefusal] = []
        let (least, most) = (Self.count(document["length"]?["min"]), Self.count(document["length"]?["max"]))
        if scalars.count < least ?? 0 || scalars.count > most ?? .max {
            refusals.append(AnswerRefusal(.length, Self.lengthMessage(least, most)))
        }
        if let unique = Self.count(document["minUniqueCharacters"]), Set(scalars).count < unique {
            refusals.append(AnswerRefusal(.uniqueCharacters, "fewer than \(unique) different characters"))
        }
        if let limit = Self.count(document["maxRepeatedCharacters"]), Self.longestRun(scalars) > limit {
            refusals.append(AnswerRefusal(.repeatedCharacters, "a character more than \(limit) times in a row"))
        }
        for (name, value) in document["minCharacters"]?.object ?? [:] {
            let set = Set(name.unicodeScalars)
            if let needed = Self.count(value), scalars.count(where: { set.contains($0) }) < needed {
                refusals.append(AnswerRefusal(.minimumCharacters, "fewer than \(needed) characters of \(name)"))
            }
        }
        return refusals
    }

    private static func lengthMessage(_ least: Int?, _ most: Int?) -> String {
        guard let most else { return "fewer than \(least ?? 0) characters" }
        return "not \(least ?? 0) to \(most) characters long"
    }

    /// The longest run of one character: Ping's SDKs count all occurrences, but the provider counts consecutive ones,
    /// and it decides.
    private static func longestRun(_ scalars: [Unicode.Scalar]) -> Int {
        var (longest, run) = (0, 0)
        for index in scalars.indices {
            run = index > 0 && scalars[index] == scalars[index - 1] ? run + 1 : 1
            longest = max(longest, run)
        }
        return longest
    }

    private static func count(_ json: JSONValue?) -> Int? {
        json?.int.flatMap { $0 >= 0 ? Int($0) : nil }
    }
}
