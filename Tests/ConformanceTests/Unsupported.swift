import JSON
import JourneyClient

/// Why the clients cannot do what a fixture says; nil when they can.
///
/// The suite fails for a fixture that has a reason and would pass, so nothing stays here longer than it must. A callback
/// type that is documented and that the catalogue does not have is one by itself.
func missing(for fixture: Fixture) -> String? {
    let types = (fixture.expect?["callbacks"]?.array ?? []).compactMap(\.string)
    let known = CallbackCatalogue.standard.wireTypes
    if let type = types.first(where: { documentedTypes.contains($0) && !known.contains($0) }) {
        return "\(type) is not there yet"
    }
    return unsupported[fixture.name]
}

/// The fixtures that cannot be done for other reasons.
let unsupported: [String: String] = {
    var table: [String: String] = [:]
    for (reason, files) in reasons { for file in files { table[file] = reason } }
    return table
}()

private let reasons: [(String, [String])] = [
    ("private_key_jwt is not there yet", ["oidc/token-success-private-key-jwt.json"]),
    ("a header is missing in the request that is always sent", ["davinci/start.verbose-html.json"]),
    ("only programs without a browser send it", ["davinci/idp.native-authenticate.json"]),
]
