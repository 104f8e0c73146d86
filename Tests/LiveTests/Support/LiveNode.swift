import YAML

/// A node of a settings file, read by name; what is missing or of another kind throws where it is needed.
struct LiveNode {
    /// What a settings file lacks.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    let node: YAMLNode
    let path: String

    /// A member; nil when it is not there.
    func optional(_ name: String) -> LiveNode? {
        node.mapping?.first { $0.key.scalar?.text == name }.map { LiveNode(node: $0.value, path: "\(path).\(name)") }
    }

    /// A member that has to be there.
    func member(_ name: String) throws -> LiveNode {
        guard let found = optional(name) else { throw Missing(description: "\(path).\(name) is missing") }
        return found
    }

    /// The value of a member.
    func text(_ name: String) throws -> String { try member(name).text() }

    func text() throws -> String {
        guard let text = node.scalar?.text else { throw Missing(description: "\(path) is not a value") }
        return text
    }

    /// The entries of a list.
    func list() throws -> [LiveNode] {
        guard let list = node.sequence else { throw Missing(description: "\(path) is not a list") }
        return list.enumerated().map { LiveNode(node: $1, path: "\(path)[\($0)]") }
    }

    func texts() throws -> [String] { try list().map { try $0.text() } }

    /// The members in the order of the file.
    func members() throws -> [(name: String, value: LiveNode)] {
        guard let pairs = node.mapping else { throw Missing(description: "\(path) has no members") }
        return try pairs.map { pair in
            guard let name = pair.key.scalar?.text else { throw Missing(description: "\(path) has an odd key") }
            return (name, LiveNode(node: pair.value, path: "\(path).\(name)"))
        }
    }
}
