import Basics
import EventLoop
import HTTPClient
import HTTPCore
import JSON
import Logs
import TestSupport

/// The network of the test process, for raw calls and for the library's cases.
enum Wire {
    private static let shared = Result {
        let thread = try EventThread(name: "live")
        return try CurlTransport(HTTPClientSettings(), thread: thread, logger: .silent)
    }

    /// The transport; it lives as long as the process.
    static func transport() throws -> CurlTransport { try shared.get() }

    /// What came back.
    struct Answer: Sendable {
        let status: Int
        let fields: HTTPFields
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

        /// A member by path, `user.claims.sub`, `callbacks.0.type`.
        subscript(path: String) -> JSONValue? {
            path.split(separator: ".").reduce(json as JSONValue?) { value, name in
                Int(name).map { value?[$0] } ?? value?[String(name)]
            }
        }

        /// The first value of a field.
        func field(_ name: HTTPField.Name) -> String? { fields[values: name].first }
    }

    /// What a raw call carries.
    enum Body: Sendable {
        case none
        case json(JSONValue)
        case form([(String, String)])
    }

    /// Sends one request, following nothing.
    static func send(
        _ method: HTTPMethod, _ address: String, _ body: Body = .none, headers: [(String, String)] = [],
        basic client: OAuthClient? = nil, patience: Duration = .seconds(60)
    ) async throws -> Answer {
        guard let url = WebURL(address) else { throw LiveNode.Missing(description: "\(address) is no address") }
        var request = ClientRequest(method, url)
        switch body {
        case .none: break
        case .json(let value):
            request.body = value.serialized()
            request.fields.set(.contentType, "application/json")
        case .form(let pairs):
            var parameters = QueryParameters()
            for (name, value) in pairs { parameters.append(name, value) }
            request.body = Array(parameters.encoded.utf8)
            request.fields.set(.contentType, "application/x-www-form-urlencoded")
        }
        if let client {
            // As an AM wants it; a provider that decodes gets the same from secrets without special characters.
            let credentials = Base64.encode(Array("\(client.id):\(client.secret)".utf8))
            try request.fields.set(.authorization, checking: "Basic \(credentials)")
        }
        for (name, value) in headers {
            request.fields.append(try HTTPField(HTTPField.Name(checking: name), checking: value))
        }
        let response = try await transport().send(request, deadline: .now + patience)
        return Answer(status: response.status, fields: response.fields, body: response.body)
    }
}
