package import Basics
public import HTTPCore
public import JSON

/// The provider's answer to a request; read-only.
public struct Response: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields in order, each occurrence separate.
    public let fields: HTTPFields
    /// The body as received.
    public let body: [UInt8]
    /// The request that was answered.
    public let request: Request

    /// Makes an answer.
    public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = [], request: Request) {
        self.status = status
        self.fields = fields
        self.body = body
        self.request = request
    }

    /// Makes an answer from the transport's response.
    public init(_ response: ClientResponse, to request: Request) {
        self.init(status: response.status, fields: response.fields, body: response.body, request: request)
    }

    /// True if the status is 200 to 299.
    public var isSuccess: Bool { 200..<300 ~= status }
    /// True if the status is 300 to 399.
    public var isRedirect: Bool { 300..<400 ~= status }
    /// True if the status is 400 to 499.
    public var isClientError: Bool { 400..<500 ~= status }
    /// True if the status is 500 to 599.
    public var isServerError: Bool { 500..<600 ~= status }

    /// The body as a JSON object.
    ///
    /// - Throws: `EngineError.malformed` when it is not JSON or not an object.
    public func json() throws(EngineError) -> JSONObject {
        guard let value = try? JSONValue(parsing: body), case .object(let object) = value else {
            throw .malformed(status: status, excerpt: excerpt)
        }
        return object
    }

    /// The first value of a field; the name is compared without case.
    public func header(_ name: String) -> String? {
        headers(name).first
    }

    /// All values of a field, one per occurrence.
    public func headers(_ name: String) -> [String] {
        (try? HTTPField.Name(checking: name)).map { fields[values: $0] } ?? []
    }

    /// The `Set-Cookie` fields, one per occurrence, unparsed.
    public var setCookies: [String] { fields[values: .setCookie] }

    /// The first 200 bytes of the body, for a log whose readers may see secrets.
    package var excerpt: Secret<String> {
        Secret(String(decoding: body.prefix(200), as: UTF8.self))
    }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows status and body size; everything else may be secret.
    public var description: String { "Response(\(status), \(body.count) bytes)" }
    /// Shows status and body size; everything else may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the response prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
