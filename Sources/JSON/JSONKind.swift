/// The kind of a JSON value.
enum JSONKind: UInt8, Sendable {
    case null
    case bool
    case number
    case string
    case array
    case object
}
