internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `/simulator/faults` and `/simulator/requests`: fault switches and request counts for curl.
///
/// Refuses by docs/simulator.md, 'Faults'.
struct FaultsEndpoint: Sendable {
    let faults: Faults
    let journal: Journal

    func answer(_ call: SimulatedCall) -> ServerResponse {
        switch (call.segments.dropFirst().first, call.method) {
        case ("faults", .get): return .json(200, state)
        case ("faults", .delete):
            faults.clear()
            return .json(200, state)
        case ("faults", .post): return change(call)
        case ("requests", .get): return .json(200, journal.json)
        case ("requests", .delete):
            journal.reset()
            return .json(200, journal.json)
        case ("faults", _), ("requests", _): return .amError(405, "Method Not Allowed")
        default: return .amError(404, "Not Found")
        }
    }

    private func change(_ call: SimulatedCall) -> ServerResponse {
        // A page of another origin needs a CORS preflight for this type, which is never granted.
        guard call.isJSON else { return .amError(415, "Content-Type application/json is needed") }
        guard let body = call.json?.object else { return .amError(400, "A JSON object is needed") }
        let known: Set = [
            "effect", "path", "count", "milliseconds", "status", "retryAfter", "outage", "clockOffsetSeconds",
        ]
        // All members are read before any state changes.
        let fault = body["effect"] == nil ? nil : Fault(body)
        guard Set(body.names).isSubset(of: known), (fault == nil) == (body["effect"] == nil),
            body["outage"].map({ $0.bool != nil }) ?? true,
            body["clockOffsetSeconds"].map({ ($0.int ?? .max).magnitude < 1 << 40 }) ?? true
        else { return .amError(400, "Not an order for the switches; see docs/simulator.md") }
        if let on = body["outage"]?.bool { faults.outage = on }
        if let seconds = body["clockOffsetSeconds"]?.int { faults.clockOffset = .seconds(seconds) }
        if let fault { faults.add(fault) }
        return .json(200, state)
    }

    private var state: JSONObject {
        [
            "outage": .bool(faults.outage),
            "clockOffsetSeconds": JSONValue(faults.clockOffset.components.seconds),
            "faults": .array(faults.all.map { .object($0.json) }),
        ]
    }
}

extension Fault {
    /// Reads a fault from `{"effect": …, "path": …, "count": …}`; nil if a member has a wrong value.
    init?(_ json: JSONObject) {
        func whole(_ name: String, _ range: ClosedRange<Int64>) -> Int?? {
            guard let value = json[name] else { return .some(nil) }
            guard let number = value.int, range.contains(number) else { return nil }
            return .some(Int(number))
        }
        guard let retryAfter = whole("retryAfter", 0...86_400), let status = whole("status", 500...599),
            let milliseconds = whole("milliseconds", 0...600_000), let count = whole("count", 1...1_000_000),
            json["path"].map({ $0.string != nil }) ?? true
        else { return nil }
        let effect: Effect
        switch json["effect"]?.string {
        case "latency":
            guard let milliseconds else { return nil }
            effect = .latency(.milliseconds(milliseconds))
        case "too-many-requests": effect = .tooManyRequests(retryAfter: retryAfter)
        case "unavailable": effect = .unavailable(retryAfter: retryAfter)
        case "server-error": effect = .serverError(status: status ?? 500)
        case "drop": effect = .drop
        case "lose-answer": effect = .loseAnswer
        case "garbage": effect = .garbage
        default: return nil
        }
        self.init(effect, path: json["path"]?.string, count: count)
    }

    /// The fault in the form that `init(_:)` reads.
    var json: JSONObject {
        var json: JSONObject = [:]
        func set(_ name: String, _ number: Int?) { json[name] = number.map { JSONValue(Int64($0)) } }
        switch effect {
        case .latency(let span):
            json["effect"] = "latency"
            set("milliseconds", Int(span.milliseconds))
        case .tooManyRequests(let retryAfter):
            json["effect"] = "too-many-requests"
            set("retryAfter", retryAfter)
        case .unavailable(let retryAfter):
            json["effect"] = "unavailable"
            set("retryAfter", retryAfter)
        case .serverError(let status):
            json["effect"] = "server-error"
            set("status", status)
        case .drop: json["effect"] = "drop"
        case .loseAnswer: json["effect"] = "lose-answer"
        case .garbage: json["effect"] = "garbage"
        }
        json["path"] = path.map { .string($0) }
        set("count", count)
        return json
    }
}
