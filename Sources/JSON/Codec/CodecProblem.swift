/// The sentences of the errors of `JSONCodec`, which are of the standard library's types.
///
/// A type may quote the value in its own error, as the standard library does for a raw value that an enum does not have.
/// So every error that leaves the codec is made anew, with one of these sentences.
enum CodecProblem: String {
    case document = "The text is no JSON document within the limits."
    case kind = "The value is of another kind."
    case null = "There is null where a value is needed."
    case missing = "There is no member of this name."
    case end = "The array has no more elements."
    case range = "The number does not fit the type."
    case wide = "Numbers of more than 64 bits are not supported."
    case notFinite = "JSON has no infinities and no NaN."
    case nesting = "The value is nested deeper than the limits allow."
    case size = "The value is larger than the limits allow."
    case twice = "The value asked for two containers of different kinds, or wrote two single values."
    case empty = "The value wrote nothing."
    case refused = "The type refused the value."

    /// A value that cannot be written; its type stands for it.
    func encoding(_ type: Any.Type, _ path: CodingPath?) -> EncodingError {
        .invalidValue(type, EncodingError.Context(codingPath: path.keys, debugDescription: rawValue))
    }

    /// A value that cannot be read.
    func corrupted(_ path: CodingPath?) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: path.keys, debugDescription: rawValue))
    }

    /// A context for the other cases of `DecodingError`.
    func context(_ path: CodingPath?) -> DecodingError.Context {
        DecodingError.Context(codingPath: path.keys, debugDescription: rawValue)
    }

    static func nothing(of type: Any.Type) -> EncodingError { empty.encoding(type, nil) }

    /// The error to throw in place of a type's own: without its text, and with the value's type in place of the value.
    static func encoding(_ error: any Error, of type: Any.Type) -> EncodingError {
        guard case .invalidValue(let value, let context) = error as? EncodingError else {
            return refused.encoding(type, nil)
        }
        let named = value is Any.Type ? value : Swift.type(of: value)
        let sentence = CodecProblem(rawValue: context.debugDescription) ?? refused
        return .invalidValue(
            named, EncodingError.Context(codingPath: context.codingPath, debugDescription: sentence.rawValue))
    }

    /// The error to throw in place of a type's own, without its text.
    static func decoding(_ error: any Error) -> DecodingError {
        if let error = error as? JSONError {
            return .dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: document.rawValue, underlyingError: error))
        }
        switch error as? DecodingError {
        case .typeMismatch(let type, let context): return .typeMismatch(type, context.named(kind))
        case .valueNotFound(let type, let context): return .valueNotFound(type, context.named(null))
        case .keyNotFound(let key, let context): return .keyNotFound(key, context.named(missing))
        case .dataCorrupted(let context): return .dataCorrupted(context.named(refused))
        default: return refused.corrupted(nil)
        }
    }
}

extension DecodingError.Context {
    /// A context for the same coding path with a sentence of ours: the existing one, or else the given one.
    ///
    /// Of the underlying errors only `JSONError` stays, which holds no text.
    fileprivate func named(_ other: CodecProblem) -> DecodingError.Context {
        let sentence = CodecProblem(rawValue: debugDescription) ?? other
        return DecodingError.Context(
            codingPath: codingPath, debugDescription: sentence.rawValue,
            underlyingError: underlyingError as? JSONError)
    }
}
