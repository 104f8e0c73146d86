/// One argument of the process.
enum Word: Sendable, Equatable {
    case text(String)
    /// An argument that is not UTF-8, with U+FFFD in place of the wrong bytes.
    case broken(String)

    init(cString: UnsafePointer<CChar>) {
        self = String(validatingCString: cString).map { .text($0) } ?? .broken(String(cString: cString))
    }

    /// A word for a message: quoted, at most 100 characters, with control characters shown as codes.
    static func quoted(_ word: String) -> String {
        var text = "'"
        for scalar in word.unicodeScalars.prefix(100) {
            let isControl =
                scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            text += isControl ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
        return text + (word.unicodeScalars.count > 100 ? "…'" : "'")
    }
}
