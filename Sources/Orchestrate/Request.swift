package import Basics
public import HTTPCore
public import JSON

/// A request that handlers build up.
///
/// `header` and `parameter` append, `setHeader` replaces. A part that cannot be sent (a bad header name, a control
/// character in a value, a missing address) is remembered and makes the step a failure before anything is sent.
public struct Request: Sendable {
    /// The method; GET until a body or form is set.
    public var method: HTTPMethod = .get
    /// The address, without `parameters`; nil until a handler sets it.
    public var url: WebURL?
    /// The header fields.
    public private(set) var fields: HTTPFields = [:]
    /// The query parameters that are appended to the address, in order.
    public var parameters = QueryParameters()
    /// Cookies that may be sent; those that match the address are sent, even if the address is set later.
    public var cookies = CookieJar()
    /// Cookies set apart from the jar, by name: the value to send, or nil to send none.
    private var ownCookies: [String: String?] = [:]
    /// The body as sent.
    public private(set) var body: [UInt8] = []
    private(set) var failure: String?

    /// Makes a request without an address, fields or a body.
    public init() {}

    /// Makes a GET request to an address.
    public init(_ url: WebURL) {
        self.url = url
    }

    /// Sets the address from text; parameters and headers stay.
    public mutating func url(_ text: String) {
        url = WebURL(text)
        if url == nil { failure = failure ?? "the address of a request is not an http or https URL" }
    }

    /// Adds a value to a header.
    ///
    /// Existing values stay, except of a header that a request has only once by definition: `Authorization`,
    /// `Content-Type`, `Origin`, `User-Agent`.
    public mutating func header(name: String, value: String) {
        guard let field = checked(name, value) else { return }
        if Self.singular.contains(field.name) { fields.set(field) } else { fields.append(field) }
    }

    private static let singular: Set<HTTPField.Name> = [.authorization, .contentType, .origin, .userAgent]

    /// Sets a header, replacing every value of that name.
    public mutating func setHeader(name: String, value: String) {
        if let field = checked(name, value) { fields.set(field) }
    }

    /// Sets a header field that is already validated, replacing every value of its name.
    public mutating func set(_ field: HTTPField) {
        fields.set(field)
    }

    /// Removes a header.
    public mutating func removeHeader(_ name: String) {
        if let field = try? HTTPField.Name(checking: name) { fields.remove(field) }
    }

    /// Sets a cookie that is sent in place of every cookie of that name in the jar.
    ///
    /// - Parameters:
    ///   - name: The name; case matters.
    ///   - value: A value that RFC 6265 section 4.1.1 allows; nil sends no cookie of that name, even if the jar holds
    ///     one.
    public mutating func cookie(name: String, value: String?) {
        guard (try? HTTPField.Name(checking: name)) != nil, value.map(CookieHeader.isValue) ?? true else {
            failure = failure ?? "a cookie of a request cannot be sent"
            return
        }
        ownCookies[name] = .some(value)
    }

    /// The first value of a header; the name is compared without case.
    public func header(_ name: String) -> String? {
        (try? HTTPField.Name(checking: name)).flatMap { fields[values: $0].first }
    }

    /// Appends a query parameter; existing parameters of that name stay.
    public mutating func parameter(name: String, value: String) {
        parameters.append(name, value)
    }

    /// Sets a JSON body, `Content-Type: application/json` and POST.
    public mutating func body(_ json: JSONValue) {
        body = json.serialized()
        method = .post
        fields.set(.contentType, "application/json")
    }

    /// Sets a form body in the order given, percent-encoded, and POST.
    public mutating func form(_ pairs: QueryParameters) {
        body = Array(pairs.encoded.utf8)
        method = .post
        fields.set(.contentType, "application/x-www-form-urlencoded")
    }

    /// The request in the form that the transport takes.
    ///
    /// - Parameter now: The time that decides which cookies have expired.
    /// - Returns: The request with its parameters in the address and its cookies in one `Cookie` field.
    /// - Throws: `EngineError.configuration` when it has no address or holds something that cannot be sent.
    package func clientRequest(now: Timestamp) throws(EngineError) -> ClientRequest {
        if let failure { throw .configuration(failure) }
        guard var url else { throw .configuration("no handler set the address of a request") }
        for pair in parameters.pairs { url.append(parameter: pair.name, pair.value) }
        var fields = fields
        let own = ownCookies.sorted { $0.key < $1.key }.compactMap { name, value in value.map { "\(name)=\($0)" } }
        let kept = cookies.header(for: url, now: now, without: Set(ownCookies.keys))
        if !own.isEmpty || kept != nil {
            let all = (fields[values: .cookie] + own + [kept].compactMap(\.self)).joined(separator: "; ")
            do { try fields.set(.cookie, checking: all) } catch { throw .configuration("\(error)") }
        }
        return ClientRequest(method, url, fields: fields, body: body)
    }

    /// Makes a field; returns nil for an invalid one and remembers the failure of the step.
    private mutating func checked(_ name: String, _ value: String) -> HTTPField? {
        do {
            return try HTTPField(HTTPField.Name(checking: name), checking: value)
        } catch {
            failure = failure ?? "\(error)"
            return nil
        }
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address without query; everything else may be secret.
    public var description: String { "\(method.rawValue) \(url.map { $0.origin + $0.path } ?? "-")" }
    /// Method and address without query.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the request prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
