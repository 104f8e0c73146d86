public import Basics
internal import HTTPCore

extension Authorization: RecordCodable {
    /// Version 1 of the stored form.
    public static var version: UInt8 { 1 }
    /// About 1 KiB: the parameters and the endpoint take some hundred bytes each.
    public var estimatedByteCount: Int { 1024 }

    /// Writes the request and the values that its answer is checked against: the secrets in clear, for a sealed store
    /// only.
    public func write(into writer: inout RecordWriter) {
        writer.write(issuer)
        writer.write(clientID)
        writer.write(redirectURI)
        writer.write(endpoint.text)
        writer.write(method.rawValue)
        writer.write(parameters.encoded)
        writer.write(state.reveal())
        writer.write(nonce.reveal())
        writer.write(pkce.verifier.reveal())
        writer.write(demands.acr) { $0.write($1) }
        writer.write(demands.notBefore)
        writer.write(demands.maxAge) { $0.write($1.milliseconds) }
        writer.write(expires)
        writer.write(isSpent)
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        issuer = try reader.string()
        clientID = try reader.string()
        redirectURI = try reader.string()
        guard let endpoint = WebURL(try reader.string()), let method = Method(rawValue: try reader.string()),
            let parameters = QueryParameters(parsing: try reader.string())
        else { throw .malformed }
        self.endpoint = endpoint
        self.method = method
        self.parameters = parameters
        state = Secret(try reader.string())
        nonce = Secret(try reader.string())
        pkce = PKCE(verifier: Secret(try reader.string()))
        demands = SignInDemands(
            acr: try reader.strings(), notBefore: try reader.optionalTimestamp(),
            maxAge: try reader.optional { reader throws(RecordError) in .milliseconds(try reader.signed()) })
        expires = try reader.timestamp()
        isSpent = try reader.bool()
    }
}
