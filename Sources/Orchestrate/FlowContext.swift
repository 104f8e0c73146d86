internal import JSON

/// Names a value of the flow context and its type.
///
/// The stored form is that of `JSONCodec`, which documents how it encodes the types of Foundation.
public struct FlowKey<Value: Codable & Sendable>: Sendable, Hashable {
    /// Unique among the keys of one workflow; part of the stored form, so its meaning must never change.
    public let name: String

    /// Makes a key; declare it once.
    public init(_ name: String) {
        self.name = name
    }
}

/// The values that one flow carries from step to step: cookies of the flow, start options, continuation data.
///
/// A value type that the caller keeps between two steps; any process can take the next step. It holds secrets: seal it.
public struct FlowContext: Sendable, Equatable {
    /// The text of each value, by key name: JSON, or the hand-written form of a `FlowValue`.
    private(set) var entries: [String: String]
    /// The name of the key whose value could not be encoded; the step that wrote it fails.
    private(set) var failure: String?

    /// The codec of the values; they come from the program itself, so only the nesting depth needs a bound.
    private static let codec = JSONCodec(
        limits: JSONLimits(maxBytes: .max, maxDepth: JSONLimits.deepest, maxMembers: .max))

    /// Makes a context without values.
    public init() {
        entries = [:]
    }

    init(entries: [String: String]) {
        self.entries = entries
    }

    /// A name that tells this flow from all others: the id of the request that first asked for the name.
    ///
    /// - Parameter caller: The caller that the step runs for.
    /// - Returns: The name; nil for a caller without a request id.
    package mutating func name(_ caller: Caller) -> String? {
        let key = "orchestrate.name"
        if let name = entries[key] { return name }
        guard !caller.requestID.isEmpty else { return nil }
        // A value that is no `FlowValue` is stored as JSON.
        let name = JSONValue.string(caller.requestID).text
        entries[key] = name
        return name
    }

    /// The value under a key; setting it to nil removes it.
    ///
    /// A stored value that no longer has the type of its key reads as nil. A value that cannot be encoded (a
    /// floating-point infinity, more than 512 levels, a throwing `encode`) makes the step that wrote it a failure.
    public subscript<Value>(key: FlowKey<Value>) -> Value? {
        get {
            guard let text = entries[key.name] else { return nil }
            if FlowText.isHandWritten(text) {
                guard let type = Value.self as? any FlowValue.Type else { return nil }
                return FlowText.read(text, as: type) as? Value
            }
            return try? Self.codec.decode(Value.self, from: text)
        }
        set {
            guard let newValue else {
                entries[key.name] = nil
                return
            }
            if let value = newValue as? any FlowValue {
                entries[key.name] = FlowText.write(value)
                return
            }
            do throws(EncodingError) {
                entries[key.name] = try Self.codec.text(of: newValue)
            } catch {
                failure = key.name
            }
        }
    }

    /// The value under a key with a hand-written form, which is read without examining its type.
    public subscript<Value: FlowValue>(key: FlowKey<Value>) -> Value? {
        get {
            guard let text = entries[key.name] else { return nil }
            if FlowText.isHandWritten(text) { return FlowText.read(text, as: Value.self) }
            return try? Self.codec.decode(Value.self, from: text)
        }
        set { entries[key.name] = newValue.map { FlowText.write($0) } }
    }
}

extension FlowContext: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key names; values may be secret.
    public var description: String { "FlowContext(\(entries.keys.sorted().joined(separator: ", ")))" }
    /// The key names; values may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the context prints no values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
