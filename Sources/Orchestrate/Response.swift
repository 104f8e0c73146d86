package import Basics
public import HTTPCore
public import JSON

/// The provider's answer to a request; read-only.
public struct Response: Sendable {
    /// The status code.
    public let status: Int
    /// The header fields, each occurrence apart and in order.
    public let fields: HTTPFields
    /// The body, as it came.
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

    /// An answer as it came from the transport.
    public init(_ response: ClientResponse, to request: Request) {
        self.init(status: response.status, fields: response.fields, body: response.body, request: request)
    }

    /// Whether the status is 200 to 299.
    public var isSuccess: Bool { 200..<300 ~= status }
    /// Whether the status is 300 to 399.
    public var isRedirect: Bool { 300..<400 ~= status }
    /// Whether the status is 400 to 499.
    public var isClientError: Bool { 400..<500 ~= status }
    /// Whether the status is 500 to 599.
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

    /// The first 200 bytes of the body, for the log of someone who may see secrets.
    package var excerpt: Secret<String> {
        Secret(String(decoding: body.prefix(200), as: UTF8.self))
    }
}

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status; everything else may be secret.
    public var description: String { "Response(\(status), \(body.count) bytes)" }
    /// The status; everything else may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
