internal import HTTPServer
internal import JSON

/// An error response to a page, which stays.
struct FlowRefusal: Sendable {
    var status = 400
    var connector = "pingOneSSOConnector"
    var capability: String
    var category = "NotSet"
    /// The error code: a text or a number.
    var code: JSONValue
    var message: String
    var details: JSONValue?

    init(_ capability: String, _ code: JSONValue, _ message: String) {
        self.capability = capability
        self.code = code
        self.message = message
    }

    /// The error for a wrong name or password; the parameter is the number of attempts left.
    static func credentials(_ left: Int? = nil) -> FlowRefusal {
        let message = " Invalid username and/or password"
        var refusal = FlowRefusal("userLookup", .string(message), message)
        if let left {
            refusal.details = [
                [
                    "statusCode": 400,
                    "rawResponse": [
                        "id": .string(Identifier.tracking()), "code": "INVALID_DATA",
                        "details": [
                            [
                                "code": "INVALID_VALUE", "target": "password",
                                "message": "The provided password did not match",
                                "innerError": ["failuresRemaining": JSONValue(Int64(left))],
                            ]
                        ],
                    ],
                ]
            ]
        }
        return refusal
    }

    /// The directory's error about attributes, each with a code and a message of its own.
    static func attributes(
        _ capability: String, _ message: String, _ wrong: [(target: String, code: String, message: String)],
        inner: JSONObject? = nil
    ) -> FlowRefusal {
        var refusal = FlowRefusal(capability, "invalidValue", message)
        refusal.category = "InvalidData"
        let details: [JSONValue] = wrong.map { entry in
            var detail: JSONObject = [
                "code": .string(entry.code), "target": .string(entry.target), "message": .string(entry.message),
            ]
            if entry.target != "username", entry.target != "email",
                inner?["unsatisfiedRequirements"]?.array?.isEmpty == false
            {
                detail["innerError"] = inner.map { .object($0) }
            }
            return .object(detail)
        }
        refusal.details = [
            [
                "statusCode": 400,
                "rawResponse": [
                    "id": .string(Identifier.tracking()), "code": "INVALID_DATA",
                    "message":
                        "The request could not be completed. One or more validation errors were in the request.",
                    "details": .array(details),
                ],
            ]
        ]
        return refusal
    }

    /// The response, whose ids name the failed node and never the page.
    func response(_ environment: String) -> ServerResponse {
        var json: JSONObject = [
            "interactionId": .string(Identifier.tracking()), "companyId": .string(environment),
            "connectionId": .string(PingOneID.hex("connection " + connector)), "connectorId": .string(connector),
            "id": .string(String(PingOneID.hex("node " + capability).prefix(10))),
            "capabilityName": .string(capability),
            "errorCategory": .string(category), "code": code, "cause": nil, "expected": true,
            "message": .string(message), "httpResponseCode": JSONValue(Int64(status)),
            "isResponseCompatibleWithMobileAndWebSdks": true,
        ]
        json["details"] = details
        return .json(status, json)
    }

    /// The error for an interaction that has ended or belongs to another caller.
    static func expired(_ code: JSONValue = 1999) -> FlowRefusal {
        var refusal = FlowRefusal("unauthorized", code, "The interaction has expired or is not authorized")
        refusal.connector = "skProxy"
        return refusal
    }
}
