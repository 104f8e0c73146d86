extension JSONValue {
    /// True if a piece of the value is the one sought, asked of until one is.
    ///
    /// A value that was parsed is handed over in the bytes it came in, several texts and what stands between them in one
    /// piece, where these are compact JSON without escapes. Any other text or name is a piece by itself, its escapes
    /// resolved. So no text and no name is torn apart, and a piece may have a few bytes more than these.
    package func containsPiece(where isSought: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        switch self {
        case .null, .bool, .number: false
        case .string(let text): withBytes(of: text, isSought)
        case .array(let elements): elements.contains { $0.containsPiece(where: isSought) }
        case .object(let members): members.containsPiece(where: isSought)
        }
    }
}

extension JSONObject {
    /// True if a piece of the object is the one sought, as for `JSONValue`.
    package func containsPiece(where isSought: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        switch storage {
        case .made(let members):
            members.contains { withBytes(of: $0.name, isSought) || $0.value.containsPiece(where: isSought) }
        case .read(let source, let index): source.containsPiece(of: Int(index), where: isSought)
        }
    }
}

func withBytes<Result>(of text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    var text = text
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
}
