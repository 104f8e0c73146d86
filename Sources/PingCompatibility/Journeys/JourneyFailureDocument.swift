package import BFF
package import JSON

/// Writes refusals and failures in the form of AM's errors: `code`, `reason`, `message` and `detail`.
package enum JourneyFailureDocument {
    /// The document of a journey that ended without a sign-in.
    ///
    /// - Parameters:
    ///   - reason: The stable reason of the failure.
    ///   - message: AM's own text for the user; nil for none.
    ///   - more: The policies that values failed, and the members of AM's `detail` that the settings expose.
    ///   - status: The status of the response.
    /// - Returns: The document.
    package static func failure(
        reason: String, message: String?, more: FailureDetails, status: Int
    ) -> [UInt8] {
        var detail = more.exposed
        if let entries = more.entries {
            detail["result"] = false
            detail["failedPolicyRequirements"] = .array(entries.map { policies($0) })
        }
        // Programs tell a journey that took too long from one that failed by AM's number for it.
        if reason == FailureReason.journeyExpired.rawValue { detail["errorCode"] = "110" }
        detail["reason"] = .string(reason)
        return document(status, message: message ?? sentence(reason), detail)
    }

    /// The document of an error; `message` is a sentence of this server or AM's text for the user.
    package static func document(_ status: Int, message: String, _ detail: JSONObject) -> [UInt8] {
        JSONValue.object([
            "code": JSONValue(Int64(status)), "reason": .string(phrase(status)), "message": .string(message),
            "detail": .object(detail),
        ]).serialized()
    }

    private static func policies(_ entry: JSONValue) -> JSONValue {
        let requirements = (entry["requirements"]?.array ?? []).map { requirement -> JSONValue in
            var own: JSONObject = ["policyRequirement": requirement["requirement"] ?? ""]
            if let params = requirement["params"]?.object, !params.isEmpty { own["params"] = .object(params) }
            return .object(own)
        }
        return ["property": entry["property"] ?? "", "policyRequirements": .array(requirements)]
    }

    private static func sentence(_ reason: String) -> String {
        switch FailureReason(rawValue: reason) {
        case .journeyExpired: "Session has timed out"
        case .suspendedExpired: "The link was used or is too old (SuspendedAuthSessionException)"
        case .policyFailed: "Policy validation failed"
        case .providerUnavailable, .outcomeUnknown: "The identity provider cannot be asked now"
        default: "Login failure"
        }
    }

    /// AM's `reason`: the phrase of the status.
    private static func phrase(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 500...: "Internal Server Error"
        default: "Client Error"
        }
    }
}
