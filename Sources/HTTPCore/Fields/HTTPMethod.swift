/// A request method: a token that is compared with regard to case (RFC 9110 section 9.1).
public struct HTTPMethod: Sendable, Hashable {
    /// The method as it stands on the wire.
    public let rawValue: String

    /// A method from outside the program; nil when the text is no token.
    ///
    /// - Parameter rawValue: One or more token characters (RFC 9110 section 5.6.2); `get` is a method other than `GET`.
    public init?(rawValue: String) {
        guard Grammar.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(constant: String) {
        rawValue = constant
    }

    /// Compares bytes: `String` would take different characters for the same one.
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

    /// Whether the method promises to change nothing, so that sending it twice does no harm (RFC 9110 section 9.2.1).
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }
}

extension HTTPMethod: CustomStringConvertible {
    /// The method as it stands on the wire.
    public var description: String { rawValue }
}
