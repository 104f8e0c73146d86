internal import BFF
internal import Cryptography
internal import JSON
import Sessions

/// The events of a stream, as text (HTML, 'Server-sent events').
enum EventDocument {
    /// Has browsers connect again this long after a stream's end.
    static let retry = Array("retry: 2000\n\n".utf8)

    /// Has a client connect again after so many milliseconds and a random part of `spread`, so that many come one by one.
    private static func retry(after milliseconds: Int, spread: Int) -> [UInt8] {
        let share = Int(SecureRandom.publicBytes(1).first ?? 0)
        return Array("retry: \(milliseconds + spread * share / 255)\n".utf8)
    }

    /// Writes events, with the id of the last one.
    ///
    /// - Parameters:
    ///   - events: The events.
    ///   - id: The id after these events; nil leaves the client the id that it has.
    /// - Returns: The text, in one piece.
    static func text(_ events: [SessionEvent], _ id: String?) -> [UInt8] {
        var text: [UInt8] = []
        for event in events {
            // A comment, which browsers skip.
            if event == .beat {
                text += Array(":\n\n".utf8)
                continue
            }
            switch event {
            // The clients of a server that stops come to the others spread over some seconds.
            case .end(.stopping): text += retry(after: 1000, spread: 7000)
            case .end(.busy): text += retry(after: 20_000, spread: 20_000)
            default: break
            }
            if let id { text += Array("id: \(id)\n".utf8) }
            text += Array("event: \(event.name)\ndata: ".utf8) + event.data + Array("\n\n".utf8)
        }
        return text
    }
}

extension SessionEvent {
    /// The type of the event.
    fileprivate var name: String {
        switch self {
        case .state: "state"
        case .signedIn: "signed-in"
        case .steppedUp: "stepped-up"
        case .refreshed: "refreshed"
        case .signedOut: "signed-out"
        case .expiring: "expiring"
        case .beat: "beat"
        case .end: "end"
        }
    }

    /// The data of the event: JSON in one line.
    fileprivate var data: [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        switch self {
        case .state(let state):
            writer.member("instances", value: .array(state.instances.map { .string(AccountName.text($0.text)) }))
            writer.member("expiresIn")
            writer.beginObject()
            writer.member("idle", state.idle)
            writer.member("absolute", state.absolute)
            writer.endObject()
            writer.member("unchanged", state.isUnchanged)
        case .signedIn(let instance), .steppedUp(let instance): writer.member(instance)
        case .refreshed(let instance, let left):
            writer.member(instance)
            writer.member("tokenExpiresIn", value: left.map { JSONValue($0) } ?? .null)
        case .signedOut(let instance, let reason):
            writer.member(instance)
            writer.member("reason", value: reason.map { .string($0.rawValue) } ?? .null)
        case .expiring(let instance, let limit, let seconds):
            writer.member(instance)
            writer.member("limit", limit.rawValue)
            writer.member("expiresIn", seconds)
        case .beat: break
        case .end(let end):
            writer.member("reason", end.name)
            if case .signedOut(let cause) = end {
                writer.member("cause", value: cause.map { .string($0.rawValue) } ?? .null)
            }
        }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ instance: InstanceName) { member("instance", AccountName.text(instance.text)) }
}

extension StreamEnd {
    fileprivate var name: String {
        switch self {
        case .signedOut: "signed-out"
        case .replaced: "replaced"
        case .sessionChanged: "session-changed"
        case .time: "time"
        case .stopping: "stopping"
        case .unavailable: "unavailable"
        case .busy: "busy"
        }
    }
}
