/// A request method: a case-sensitive token (RFC 9110 section 9.1).
public struct HTTPMethod: Sendable, Hashable {
    /// The method as sent.
    public let rawValue: String

    /// Makes a method from text that comes from outside the program; nil when the text is no token.
    ///
    /// - Parameter rawValue: One or more token characters (RFC 9110 section 5.6.2); `get` is a different method than
    ///   `GET`.
    public init?(rawValue: String) {
        guard Grammar.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(constant: String) {
        rawValue = constant
    }

    /// Compares bytes, because `String` treats different spellings of a character as equal.
    public static func == (left: HTTPMethod, right: HTTPMethod) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// `GET`.
    public static let get = HTTPMethod(constant: "GET")
    /// `HEAD`.
    public static let head = HTTPMethod(constant: "HEAD")
    /// `POST`.
    public static let post = HTTPMethod(constant: "POST")
    /// `PUT`.
    public static let put = HTTPMethod(constant: "PUT")
    /// `DELETE`.
    public static let delete = HTTPMethod(constant: "DELETE")
    /// `PATCH` (RFC 5789).
    public static let patch = HTTPMethod(constant: "PATCH")
    /// `OPTIONS`.
    public static let options = HTTPMethod(constant: "OPTIONS")
    /// `CONNECT`.
    public static let connect = HTTPMethod(constant: "CONNECT")
    /// `TRACE`.
    public static let trace = HTTPMethod(constant: "TRACE")

    /// True if the method is safe: it changes nothing, so that sending it twice does no harm (RFC 9110 section 9.2.1).
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The method as sent.
    public var description: String { rawValue }
}
