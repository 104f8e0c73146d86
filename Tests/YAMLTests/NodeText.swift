import YAML

/// A tree as one line of text, for tables.
enum NodeText {
    /// `{"a":text:text=[7:integer]}`: quoted what is not plain, each scalar with its type.
    static func shape(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let scalar): "\(scalar.isPlain ? scalar.text : scalar.text.debugDescription):\(scalar.kind)"
        case .sequence(let nodes): "[" + nodes.map(shape).joined(separator: ", ") + "]"
        case .mapping(let pairs):
            "{" + pairs.map { shape($0.key) + "=" + shape($0.value) }.joined(separator: ", ") + "}"
        }
    }

    /// `{a@1:1=[b@1:5]@1:4}@1:1`: every node with its place.
    static func places(_ node: YAMLNode) -> String {
        let content =
            switch node.content {
            case .scalar(let scalar): scalar.text
            case .sequence(let nodes): "[" + nodes.map(places).joined(separator: ", ") + "]"
            case .mapping(let pairs):
                "{" + pairs.map { places($0.key) + "=" + places($0.value) }.joined(separator: ", ") + "}"
            }
        return content + "@\(node.mark)"
    }

    /// What comes of a text: its shape, `nothing`, or the place and the words of the error.
    static func outcome(_ bytes: [UInt8]) -> String {
        do throws(YAMLError) {
            return try YAMLNode(parsing: bytes).map(shape) ?? "nothing"
        } catch {
            return error.description
        }
    }

    static func outcome(_ text: String) -> String { outcome(Array(text.utf8)) }
}
