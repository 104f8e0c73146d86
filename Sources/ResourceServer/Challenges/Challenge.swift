internal import Basics
public import JSON

/// The challenge to a caller whose token does not suffice (RFC 6750 section 3, RFC 9470 section 3).
public struct Challenge: Sendable, Equatable {
    /// The reasons for which a caller is refused.
    public enum Kind: Sendable, Equatable {
        /// The request has no token; the challenge has no error attribute either.
        case noToken
        /// The token is malformed, or was sent in two ways.
        case invalidRequest
        /// The token is expired, revoked, wrongly signed, or meant for another audience.
        case invalidToken
        /// A scope is missing.
        case insufficientScope
        /// The authentication is too weak or too old.
        case insufficientAuthentication
    }

    /// The reason for the refusal.
    public let kind: Kind
    /// The requirement of the route; nil for callers without a valid token, which learn nothing about requirements.
    public let requirement: Requirement?

    /// Makes a challenge.
    public init(_ kind: Kind, requirement: Requirement? = nil) {
        self.kind = kind
        self.requirement = requirement
    }

    /// The status code: 400, 401 or 403.
    public var status: Int {
        switch kind {
        case .invalidRequest: 400
        case .noToken, .invalidToken, .insufficientAuthentication: 401
        case .insufficientScope: 403
        }
    }

    /// The error code; nil when no token was sent.
    public var error: String? {
        switch kind {
        case .noToken: nil
        case .invalidRequest: "invalid_request"
        case .invalidToken: "invalid_token"
        case .insufficientScope: "insufficient_scope"
        case .insufficientAuthentication: "insufficient_user_authentication"
        }
    }

    /// The value of the `WWW-Authenticate` field.
    ///
    /// - Parameter realm: The realm that the caller sees; without quotes and backslashes.
    /// - Returns: One `Bearer` challenge, each attribute at most once.
    public func header(realm: String) -> String {
        var attributes = [("realm", realm)]
        if let error { attributes.append(("error", error)) }
        if let description { attributes.append(("error_description", description)) }
        if kind == .insufficientAuthentication, let requirement {
            if let acr = requirement.challengeACR { attributes.append(("acr_values", acr)) }
            if let age = requirement.maxAgeSeconds { attributes.append(("max_age", String(age))) }
        }
        if let requirement, !requirement.scopes.isEmpty,
            kind == .insufficientScope || kind == .insufficientAuthentication
        {
            attributes.append(("scope", requirement.scopes.joined(separator: " ")))
        }
        return "Bearer " + attributes.map { "\($0)=\"\(Self.quotable($1))\"" }.joined(separator: ", ")
    }

    /// The `required` member of the problem document; nil when the caller learns nothing.
    public var required: JSONObject? {
        guard let requirement, kind == .insufficientScope || kind == .insufficientAuthentication else { return nil }
        var object = JSONObject()
        if let level = requirement.authLevel { object["authLevel"] = JSONValue(Int64(level)) }
        if let amr = requirement.amr {
            switch amr {
            case .all(let values): object["amr"] = ["all": .array(values.map(JSONValue.string))]
            case .any(let values): object["amr"] = ["any": .array(values.map(JSONValue.string))]
            }
        }
        if let acr = requirement.challengeACR { object["acr"] = .string(acr) }
        if !requirement.scopes.isEmpty { object["scope"] = .array(requirement.scopes.map(JSONValue.string)) }
        if let age = requirement.maxAgeSeconds { object["maxAge"] = JSONValue(age) }
        return object
    }

    private var description: String? {
        switch kind {
        case .noToken: nil
        case .invalidRequest: "The request does not carry exactly one bearer token"
        case .invalidToken: "The access token is expired, revoked or not valid here"
        // Without a requirement the token belongs to a client, and the route is for users only.
        case .insufficientScope:
            requirement == nil ? "The access token is of a client, not of a user" : "The access token lacks a scope"
        case .insufficientAuthentication: "A stronger or more recent authentication is required"
        }
    }

    /// Keeps printable ASCII without quotes and backslashes (RFC 6750 section 3).
    private static func quotable(_ text: String) -> String {
        String(
            decoding: text.utf8.filter { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") },
            as: UTF8.self)
    }
}

extension Requirement {
    /// The age limit in whole seconds; nil when there is none.
    public var maxAgeSeconds: Int64? {
        guard case .age(let limit) = maxAge else { return nil }
        return limit.wholeSeconds
    }
}
