/// The kind of a value.
package enum JSONKind: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number, as it is written.
    case number
    /// A text, in quotation marks.
    case string
    /// A list of values, in brackets.
    case array
    /// Members by name, in braces.
    case object
}
