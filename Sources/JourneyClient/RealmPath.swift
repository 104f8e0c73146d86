internal import HTTPCore

/// A realm in the canonical form of AM's REST paths.
struct RealmPath: Sendable, Equatable {
    /// The path, such as `realms/root/realms/alpha`.
    let text: String

    /// True if this is the root realm, which administrators write `/` or `root`.
    var isRoot: Bool { text == "realms/root" }

    /// Reads a realm as administrators write it: `alpha`, `/alpha`, `root/alpha`, `/`, or the canonical form.
    ///
    /// - Returns: nil for a name that is not a valid realm: `.`, `..`, control characters.
    init?(_ realm: String) {
        var names = realm.split(separator: "/").map(String.init)
        let evens = names.indices.filter { $0 % 2 == 0 }.map { names[$0] }
        let odds = names.indices.filter { $0 % 2 == 1 }.map { names[$0] }
        if names.count % 2 == 0, evens.allSatisfy({ $0 == "realms" }) {
            names = odds
        } else if names.first == "root", names.count > 1, odds.allSatisfy({ $0 == "realms" }) {
            names = evens
        }
        if names.first != "root" { names.insert("root", at: 0) }
        // rule: a realm leads nowhere else
        guard names.allSatisfy({ $0 != "." && $0 != ".." && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        else { return nil }
        text = names.map { "realms/" + PercentEncoding.encode($0) }.joined(separator: "/")
    }
}
