import HTTPCore
import JSON
import Testing

/// A browser that runs a page on Ping's clients for JavaScript.
extension Browser {
    /// The address below which such a page calls.
    static let am = "/bff/standard/am"

    /// Begins a journey as journey-client does: without a body.
    func journey(_ name: String = "Login", _ more: String = "") async throws -> Answer {
        try await call(
            .post, Self.am + "/json/alpha/authenticate?authIndexType=service&authIndexValue=\(name)\(more)",
            headers: ["content-type": "application/json"])
    }

    /// Sends a step back, filled.
    func next(_ step: Answer, _ values: [Int: JSONValue], _ query: String = "") async throws -> Answer {
        try await call(.post, Self.am + "/json/alpha/authenticate" + query, Self.fill(step.json, values))
    }

    /// Signs a user in by the journey `Login`.
    @discardableResult
    func pingSignIn(_ user: String = "demo", _ password: String = "Ch4ng3it!") async throws -> Answer {
        try await next(try await journey(), [0: .string(user), 1: .string(password)])
    }

    /// A step whose callbacks have these values in their first inputs, by position.
    static func fill(_ step: JSONValue, _ values: [Int: JSONValue]) -> JSONValue {
        guard var object = step.object, let callbacks = step["callbacks"]?.array else { return step }
        object["callbacks"] = .array(
            callbacks.enumerated().map { place, callback in
                guard let value = values[place], var callback = callback.object,
                    var inputs = callback["input"]?.array, var input = inputs.first?.object
                else { return callback }
                input["value"] = value
                inputs[0] = .object(input)
                callback["input"] = .array(inputs)
                return .object(callback)
            })
        return .object(object)
    }
}

extension Browser.Answer {
    /// The value of an output of a callback of a step.
    func output(_ place: Int, _ name: String) -> JSONValue? {
        self["callbacks"]?[place]?["output"]?.array?.first { $0["name"]?.string == name }?["value"]
    }

    /// The types of the callbacks of a step.
    var types: [String] { (self["callbacks"]?.array ?? []).compactMap { $0["type"]?.string } }
}
