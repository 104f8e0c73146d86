/// Why bytes are not the one bounded document that was asked for, and where.
///
/// No case but `duplicateKeys` carries input text, so that an error about a value may be logged.
package struct YAMLError: Error, Sendable, Equatable {
    /// A key that a mapping has more than once.
    package struct Key: Sendable, Hashable {
        /// Its text; nil when the key is a sequence or a mapping.
        package let name: String?
        /// Where it stands for the first time.
        package let mark: YAMLMark

        /// A key at a place.
        package init(name: String?, mark: YAMLMark) {
            self.name = name
            self.mark = mark
        }
    }

    /// The things that can be wrong with a document.
    package enum Reason: Sendable, Equatable {
        /// No YAML, in the words of libyaml, which are constants.
        ///
        /// An alias to an anchor that was not set is one, and so is a second byte order mark.
        case syntax(String)
        /// A quote that is not closed, or only in a later line, after which nothing fits any more; its place is where it is opened.
        case openQuote
        /// A tab where YAML takes blanks only.
        case tab
        /// Bytes that are no UTF-8, UTF-16 among them.
        case notUTF8
        /// Keys of one mapping that it has more than once, in the order of their places; quoting makes no difference.
        case duplicateKeys([Key])
        /// A tag that is not of the core schema.
        case unknownTag
        /// A tag of the core schema on something that it does not describe, like `!!int` on a word.
        case misplacedTag
        /// A second document follows the first.
        case severalDocuments
        /// An alias inside what its anchor names.
        case selfReference
        /// More than `YAMLLimits.bytes`.
        case tooLong
        /// More than `YAMLLimits.levels`.
        case tooDeep
        /// More than `YAMLLimits.nodes`.
        case tooManyNodes
        /// More than `YAMLLimits.directives`.
        case tooManyDirectives
        /// libyaml got no memory.
        case outOfMemory
    }

    /// The fault of the document.
    package let reason: Reason
    /// The place of the fault: the first byte, tag, alias, document or node that is too much; for keys, the first one.
    package let mark: YAMLMark

    /// An error at a place.
    package init(_ reason: Reason, at mark: YAMLMark) {
        self.reason = reason
        self.mark = mark
    }
}

extension YAMLError {
    /// The fault as a message, without the place and, except for keys, without any text of the input.
    package var problem: String {
        switch reason {
        case .syntax(let words): words
        case .openQuote: "a quote is opened here and not closed in this line"
        case .tab: "a tab in the indentation; YAML takes blanks only"
        case .notUTF8: "the text is not UTF-8"
        case .duplicateKeys(let keys):
            "keys that are there twice: " + keys.map { $0.name ?? "?" }.joined(separator: ", ")
        case .unknownTag: "unknown tag; a text that begins with ! is written in quotes"
        case .misplacedTag: "the tag does not fit the value"
        case .severalDocuments: "expected one document, not several"
        case .selfReference: "an anchor contains itself"
        case .tooLong: "the text is longer than \(YAMLLimits.bytes >> 20)MiB, aliases followed"
        case .tooDeep: "nested deeper than \(YAMLLimits.levels) levels, aliases followed"
        case .tooManyNodes: "more than \(YAMLLimits.nodes) values, aliases followed"
        case .tooManyDirectives: "more than \(YAMLLimits.directives) directives"
        case .outOfMemory: "out of memory"
        }
    }
}

extension YAMLError: CustomStringConvertible {
    /// `12:5: an anchor contains itself`.
    package var description: String { "\(mark): \(problem)" }
}
