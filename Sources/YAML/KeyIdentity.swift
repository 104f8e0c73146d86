/// The identity of a mapping's key: two keys with the same identity are duplicates.
///
/// Texts are compared as bytes, because `String` treats different ones as equal; quotes, tags and marks make no
/// difference, so `1` and `"1"` are one key. That is stricter than YAML 1.2.2 section 3.2.1.3 and agrees with readers
/// that see texts only.
enum KeyIdentity: Hashable {
    case scalar([UInt8])
    case sequence([KeyIdentity])
    /// Each key with its value; their order makes no difference.
    case mapping([KeyIdentity: KeyIdentity])

    init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar): self = .scalar(Array(scalar.text.utf8))
        case .sequence(let nodes): self = .sequence(nodes.map { KeyIdentity($0) })
        case .mapping(let pairs):
            let members = pairs.map { (KeyIdentity($0.key), KeyIdentity($0.value)) }
            self = .mapping(Dictionary(members) { first, _ in first })
        }
    }

    /// Throws all keys that are there more than once, each at its first place.
    static func checkUnique(_ pairs: [YAMLPair]) throws(YAMLError) {
        var uses: [KeyIdentity: Int] = [:]
        let identities = pairs.map { KeyIdentity($0.key) }
        for identity in identities { uses[identity, default: 0] += 1 }
        guard uses.count < pairs.count else { return }
        var keys: [YAMLError.Key] = []
        for (pair, identity) in zip(pairs, identities) where (uses.removeValue(forKey: identity) ?? 0) > 1 {
            keys.append(YAMLError.Key(name: pair.key.scalar?.text, mark: pair.key.mark))
        }
        guard let first = keys.first else { return }
        throw YAMLError(.duplicateKeys(keys), at: first.mark)
    }
}
