internal import Basics
internal import Discovery
internal import HTTPCore
internal import JSON

extension OpenIDClient {
    /// Pushes an authorization where the settings or the provider require it.
    ///
    /// - Parameters:
    ///   - authorization: The authorization to push.
    ///   - responseMode: `response_mode`; nil to leave it out.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The `request_uri`; nil where the parameters travel with the request itself.
    /// - Throws: Like `push(_:responseMode:deadline:)`.
    package func pushWhereNeeded(
        _ authorization: Authorization, responseMode: String? = nil, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> String? {
        if !settings.par {
            guard try await metadata(deadline: deadline).requiresPushedAuthorizationRequests else { return nil }
        }
        return try await push(authorization, responseMode: responseMode, deadline: deadline)
    }

    /// Pushes the parameters of an authorization to the provider, with client authentication (RFC 9126).
    ///
    /// - Parameters:
    ///   - authorization: The authorization to push.
    ///   - responseMode: `response_mode`; nil to leave it out.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The `request_uri` that stands for the parameters; valid once and for a short time.
    /// - Throws: `.configuration` when the provider has no endpoint for it; `.rejected` or `.invalidClient` for a
    ///   refusal; `.invalidResponse` for an answer other than 201 (some servers say 200) with a `request_uri`; otherwise
    ///   why the provider could not be asked.
    package func push(
        _ authorization: Authorization, responseMode: String? = nil, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> String {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.pushedAuthorizationRequestEndpoint else {
            throw .configuration("the provider has no pushed authorization request endpoint")
        }
        // The client authentication adds the client id itself where it is a part of the form.
        let isNamed = settings.authentication.isInForm
        var form = QueryParameters()
        for pair in authorization.allParameters.pairs where !(isNamed && pair.name.isSameText(as: "client_id")) {
            form.append(pair.name, pair.value)
        }
        if let responseMode { form.append("response_mode", responseMode) }
        let response = try await send(authenticated(endpoint, form), deadline: deadline)
        switch response.status {
        case 200, 201:
            guard let uri = (try? JSONValue(parsing: response.body))?["request_uri"]?.string, !uri.isEmpty else {
                throw .invalidResponse(check: "request_uri")
            }
            return uri
        case 429, 503: throw .busy(retryAfter: response.retryAfter(time.now()))
        case 400..<500:
            let refusal = OpenIDError(refusal: response)
            if case .rejected(_, status: 401) = refusal { throw .invalidClient }
            throw refusal
        case 500...: throw .noUsableAnswer
        default: throw .invalidResponse(check: "status \(response.status)")
        }
    }
}

extension ClientAuthentication {
    /// True if the client authenticates itself in the form rather than in a header.
    fileprivate var isInForm: Bool {
        switch self {
        case .basic, .basicRaw: false
        case .post, .none: true
        }
    }
}
