public import JSON
public import Orchestrate

/// Asks for a profile of the device and its location, which the browser collects and the user may withhold.
public struct DeviceProfileCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "DeviceProfileCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text to show while the profile is collected.
    public let message: String
    /// True if metadata of the device is requested.
    public let metadata: Bool
    /// True if the location is requested.
    public let location: Bool

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        message = raw.text("message")
        metadata = raw.flag("metadata")
        location = raw.flag("location")
    }

    /// The message and the requested parts.
    public var members: JSONObject {
        ["message": .string(message), "metadata": .bool(metadata), "location": .bool(location)]
    }

    /// The identifier of the device and the requested parts.
    public var answerSchema: JSONObject? {
        var parts: JSONObject = ["identifier": .object(AnswerSchema.text(""))]
        if metadata { parts["metadata"] = ["type": "object"] }
        if location {
            let place: JSONObject = [
                "latitude": ["type": "number", "minimum": -90, "maximum": 90],
                "longitude": ["type": "number", "minimum": -180, "maximum": 180],
            ]
            parts["location"] = .object(AnswerSchema.object(place, required: ["latitude", "longitude"]))
        }
        return AnswerSchema.hidden(AnswerSchema.object(parts, required: ["identifier"]))
    }

    /// The reason to refuse a profile; nil when the profile can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        let unasked = AnswerRefusal(.notOffered, "the page does not ask for a part of the answer")
        let members = AnswerCheck.object(
            answer,
            [
                "identifier": { AnswerCheck.text($0) },
                "metadata": AnswerCheck.optional { metadata ? AnswerCheck.document($0) : unasked },
                "location": AnswerCheck.optional { location ? Self.place($0) : unasked },
            ])
        if let members { return members }
        return Self.profile(answer).utf8.count <= AnswerCheck.longestToken
            ? nil : AnswerCheck.tooLong(AnswerCheck.longestToken)
    }

    private static func place(_ answer: JSONValue?) -> AnswerRefusal? {
        AnswerCheck.object(
            answer ?? .null,
            [
                "latitude": { coordinate($0, upTo: 90) },
                "longitude": { coordinate($0, upTo: 180) },
            ])
    }

    private static func coordinate(_ answer: JSONValue?, upTo bound: Double) -> AnswerRefusal? {
        if let refusal = AnswerCheck.number(answer) { return refusal }
        return (-bound...bound).contains(answer?.double ?? 0)
            ? nil : AnswerRefusal(.outOfRange, "there is no such place on earth")
    }

    /// The profile as the JSON text that AM reads, with the only version that AM knows.
    private static func profile(_ answer: JSONValue) -> String {
        var profile = JSONObject()
        profile["identifier"] = answer["identifier"]
        profile["version"] = "1.0"
        profile["metadata"] = answer["metadata"]
        profile["location"] = answer["location"]
        return profile.text
    }

    /// Fills the input with the profile as JSON text.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        inputs.set(0, .string(Self.profile(answer)))
    }
}

extension DeviceProfileCallback: AnsweredCallback {
    /// An object with `identifier`, and with `metadata` and `location` if they are requested.
    public typealias Answer = JSONObject
}
