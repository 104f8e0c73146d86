internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// Reads request bodies: checks the media type, then the size, then parses strict JSON.
enum BodyReader {
    /// Limits of nesting and of members, far beyond those of a well-meant body.
    private static let depth = 32
    private static let members = 4096

    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The most bytes.
    /// - Returns: The bytes, empty when there is no body; the caller cleanses them.
    /// - Throws: `.unsupportedMediaType`, `.bodyTooLarge`, or the reason why the body did not arrive.
    static func read(_ request: ServerRequest, upTo limit: Int) async throws(Problem) -> [UInt8] {
        if request.body.contentLength == 0 { return [] }
        try checkMediaType(request)
        do {
            return try await request.body.collect(upTo: limit)
        } catch {
            throw Problem(error)
        }
    }

    /// Requires `application/json`, optionally with JSON's only charset (UTF-8), and no content coding.
    static func checkMediaType(_ request: ServerRequest) throws(Problem) {
        let headers = request.headers
        guard let field = headers.single("content-type"), isJSON(field),
            headers.count("content-encoding") == 0 || headers.isSingle("content-encoding", "identity")
        else { throw Problem(.unsupportedMediaType) }
    }

    private static func isJSON(_ field: String) -> Bool {
        let name = "application/json"
        if field.isSameText(as: name) { return true }
        guard let type = MediaType(parsing: field) else { return false }
        return type.essence.isSameText(as: name) && type.isJSON
    }

    /// Parses a body.
    ///
    /// - Parameters:
    ///   - bytes: The body; empty for no body, which gives no members.
    ///   - isOptional: True to treat `null` and `[]`, which generated clients send in place of an absent body, as no
    ///     body, and a null member as a missing one.
    /// - Returns: The members of the object.
    /// - Throws: `.malformed` when the body is not a JSON object.
    static func members(_ bytes: [UInt8], isOptional: Bool) throws(Problem) -> BodyMembers {
        if bytes.isEmpty { return BodyMembers(nil) }
        let scanner: JSONScanner
        do throws(JSONError) {
            let limits = JSONLimits(maxBytes: bytes.count, maxDepth: depth, maxMembers: members)
            scanner = try JSONScanner(bytes, limits: limits)
        } catch {
            throw Problem(error)
        }
        if isOptional, isNothing(scanner) { return BodyMembers(nil) }
        guard scanner.kind == .object else { throw Problem(.malformed, "The body is not a JSON object.") }
        return BodyMembers(scanner, takesNull: isOptional)
    }

    /// True if the body is `null` or `[]`.
    private static func isNothing(_ scanner: JSONScanner) -> Bool {
        switch scanner.kind {
        case .null: true
        case .array: (try? scanner.value(at: scanner.root))?.array?.isEmpty == true
        default: false
        }
    }
}

extension Problem {
    /// The problem of a body that is not valid JSON; it repeats no text of the body.
    init(_ error: JSONError) {
        let detail: StaticString =
            switch error {
            case .invalidUTF8: "The body is not UTF-8, or escapes half of a surrogate pair."
            case .duplicateName: "A member name occurs twice in one object of the body."
            case .depth: "The body is nested too deeply."
            case .tooManyMembers: "The body has too many members."
            case .syntax, .tooLarge: "The body is not JSON."
            }
        self.init(.malformed, detail)
    }
}
