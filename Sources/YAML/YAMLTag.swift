/// The tags of the core schema, and all others as one.
enum YAMLTag {
    case str, null, bool, int, float, seq, map
    /// The lone `!`: a text, sequence or mapping whatever the form.
    case nonSpecific
    /// Not of the core schema; what it was is forgotten, for a secret that begins with `!` reads as a tag.
    case unknown

    private static let shared: [String: YAMLTag] = [
        "str": .str, "null": .null, "bool": .bool, "int": .int, "float": .float, "seq": .seq, "map": .map,
    ]

    /// The tag of a full name, `tag:yaml.org,2002:str`.
    ///
    /// libyaml writes `!!str` out like this. Its names end at NUL, hence at an escaped one too (`!!str%00x`).
    init(fullName: String) {
        guard fullName != "!" else {
            self = .nonSpecific
            return
        }
        let prefix = "tag:yaml.org,2002:"
        let isShared = fullName.utf8.starts(with: prefix.utf8)
        self = isShared ? Self.shared[String(fullName.dropFirst(prefix.count))] ?? .unknown : .unknown
    }
}
