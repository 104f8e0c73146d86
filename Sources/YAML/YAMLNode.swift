/// A value of a document, and where it stands.
///
/// Aliases are followed: in the place of `*a` there is what `&a` names, with the mark of the alias; what lies inside
/// has the marks of the anchored text. Anchors and tags are gone.
package struct YAMLNode: Sendable, Equatable {
    /// The kinds of nodes, with their contents.
    package enum Content: Sendable, Equatable {
        /// A single text.
        case scalar(YAMLScalar)
        /// Values in order.
        case sequence([YAMLNode])
        /// Keys with values in the order of the text; no two keys are the same.
        case mapping([YAMLPair])
    }

    /// The contents of the node.
    package let content: Content
    /// Where it begins, a tag or an anchor before it included.
    package let mark: YAMLMark

    /// A node at a place.
    package init(_ content: Content, at mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }
}

extension YAMLNode {
    /// Reads a text of one document.
    ///
    /// A text with nothing but blanks and comments has no document and makes nil; `---` begins one, so that `---`
    /// alone is a null. One byte order mark of UTF-8 may come first. `%YAML 1.1` changes nothing: there are no merge
    /// keys, and plain scalars are of the core schema of YAML 1.2.
    ///
    /// - Parameter bytes: The text in UTF-8, up to `YAMLLimits.bytes`.
    /// - Throws: The first thing that is wrong; all keys of a mapping that are there twice.
    /// - SeeAlso: YAML 1.2.2 sections 3.2.1, 5.2 and 10.3.
    package init?(parsing bytes: [UInt8]) throws(YAMLError) {
        guard let root = try Self.root(of: bytes) else { return nil }
        self = root
    }

    private static func root(of bytes: [UInt8]) throws(YAMLError) -> YAMLNode? {
        var builder = TreeBuilder(try EventReader(bytes))
        return try builder.document()
    }

    /// The text; nil for a sequence or a mapping.
    package var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The values; nil for what is no sequence.
    package var sequence: [YAMLNode]? {
        if case .sequence(let nodes) = content { nodes } else { nil }
    }

    /// The keys with their values; nil for what is no mapping.
    package var mapping: [YAMLPair]? {
        if case .mapping(let pairs) = content { pairs } else { nil }
    }
}
