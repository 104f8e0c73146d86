internal import HTTPServer
internal import JSON

extension ServerResponse {
    private static let jsonType = ResponseHeader("Content-Type", "application/json;charset=UTF-8")
    private static let htmlType = ResponseHeader("Content-Type", "text/html;charset=UTF-8")
    private static let noStore = ResponseHeader("Cache-Control", "no-store")

    static func json(_ status: Int, _ object: JSONObject, _ headers: [ResponseHeader] = []) -> ServerResponse {
        ServerResponse(status: status, headers: [jsonType, noStore] + headers, body: object.serialized())
    }

    /// An error in the form of AM's JSON endpoints.
    static func amError(_ status: Int, _ message: String, detail: JSONObject? = nil) -> ServerResponse {
        var body: JSONObject = [
            "code": JSONValue(Int64(status)), "reason": .string(reason(status)), "message": .string(message),
        ]
        body["detail"] = detail.map { .object($0) }
        return .json(status, body, [ResponseHeader("Content-API-Version", "resource=2.1")])
    }

    /// An error in the form of the OAuth endpoints.
    static func oauthError(
        _ status: Int, _ error: String, _ description: String, _ headers: [ResponseHeader] = []
    ) -> ServerResponse {
        .json(
            status, ["error_description": .string(description), "error": .string(error)],
            [ResponseHeader("Pragma", "no-cache")] + headers)
    }

    static func redirect(_ location: String) -> ServerResponse {
        ServerResponse(status: 302, headers: [ResponseHeader("Location", location), noStore])
    }

    static func html(_ status: Int, _ title: String, _ headers: [ResponseHeader] = []) -> ServerResponse {
        let page = "<!DOCTYPE html><html><head><title>\(title)</title></head><body><p>\(title)</p></body></html>"
        return ServerResponse(status: status, headers: [htmlType, noStore] + headers, body: Array(page.utf8))
    }

    /// AM's page that asks for consent.
    static var consentPage: ServerResponse {
        let page = """
            <!DOCTYPE html><html><head><title>Authorize</title></head><body><form method="post"><input name="csrf">\
            <button name="decision" value="allow">Allow</button></form></body></html>
            """
        return ServerResponse(status: 200, headers: [htmlType, noStore], body: Array(page.utf8))
    }

    /// A response whose head announces a byte that is never sent: the listener closes the connection.
    static var cut: ServerResponse {
        struct ConnectionCutError: Error {}
        return ServerResponse(
            status: 200, headers: [jsonType], body: .stream(length: 1) { _ in throw ConnectionCutError() })
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Time-out"
        case 413: "Request Entity Too Large"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 501: "Not Implemented"
        default: "Internal Server Error"
        }
    }
}
