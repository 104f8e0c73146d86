import JSON
import Testing

/// A change to the claims of a good token and the check that it must fail; no check for changes that are fine.
struct TokenCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let check: String?
    let change: @Sendable (inout JSONObject, Int64) -> Void

    init(_ name: String, _ check: String?, _ change: @escaping @Sendable (inout JSONObject, Int64) -> Void) {
        testDescription = name
        self.check = check
        self.change = change
    }

    init(_ name: String, _ check: String?, _ claim: String, _ value: JSONValue?) {
        self.init(name, check) { claims, _ in claims[claim] = value }
    }

    /// A time claim, in seconds from now.
    init(_ name: String, _ check: String?, _ claim: String, seconds: Int64) {
        self.init(name, check) { claims, now in claims[claim] = .number(JSONNumber(now + seconds)) }
    }
}
