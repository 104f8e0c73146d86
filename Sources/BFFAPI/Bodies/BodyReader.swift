internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// Reads request bodies: the right type, the right size, then strict JSON.
enum BodyReader {
    /// Nesting and number of members that no honest body comes near.
    private static let depth = 32
    private static let members = 4096

    /// The whole body.
    ///
    /// - Parameters:
    ///   - request: Whose body is read.
    ///   - limit: The most bytes.
    /// - Returns: The bytes, empty when there were none; whoever called cleanses them.
    /// - Throws: `.unsupportedMediaType`, `.bodyTooLarge`, or why the body did not come.
    static func read(_ request: ServerRequest, upTo limit: Int) async throws(Problem) -> [UInt8] {
        if request.body.contentLength == 0 { return [] }
        try checkMediaType(request)
        do {
            return try await request.body.collect(upTo: limit)
        } catch {
            throw Problem(error)
        }
    }

    /// `application/json`, perhaps with the one charset that JSON has, and no content coding.
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

    /// Takes a body apart.
    ///
    /// - Parameters:
    ///   - bytes: Empty for no body: then there are no members.
    ///   - isOptional: Takes for absent what generated clients send in place of an absent body, `null` and `[]`, and of an
    ///     absent member, null.
    /// - Returns: The members of the object.
    /// - Throws: `.malformed` when it is no JSON object.
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

    /// `null` or `[]`.
    private static func isNothing(_ scanner: JSONScanner) -> Bool {
        switch scanner.kind {
        case .null: true
        case .array: (try? scanner.value(at: scanner.root))?.array?.isEmpty == true
        default: false
        }
    }
}

extension Problem {
    /// What is wrong with a document; its text is not repeated.
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
