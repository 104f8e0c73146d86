/// Bounds on a text, the same for everybody: settings and contracts stay far below them.
package enum YAMLLimits {
    /// How many bytes a text may have, a byte order mark aside, and all its scalars together, aliases followed; 1 MiB.
    package static let bytes = 1 << 20
    /// How many sequences and mappings may lie inside each other, aliases followed; 64.
    package static let levels = 64
    /// How many scalars, sequences and mappings there may be, keys included, aliases followed; 20,000.
    package static let nodes = 20_000
    /// How many lines may begin with `%`, as directives do, each of which libyaml compares with all before it; 64.
    package static let directives = 64
}
