/// Why bytes are not the JSON document that was asked for.
///
/// Offsets count bytes from the start of the input. No case carries input text, so that an error may be logged.
public enum JSONError: Error, Equatable, Sendable {
    /// The byte at `offset`, or the end of the input there, does not fit the grammar of RFC 8259.
    case syntax(offset: Int)
    /// The string at `offset` is not UTF-8, or escapes one half of a surrogate pair.
    case invalidUTF8(offset: Int)
    /// The member name at `offset` occurs a second time in its object.
    case duplicateName(offset: Int)
    /// Arrays and objects are nested deeper than `JSONLimits.maxDepth`.
    case depth
    /// More bytes than `JSONLimits.maxBytes`.
    case tooLarge
    /// More members and elements than `JSONLimits.maxMembers`.
    case tooManyMembers
}
