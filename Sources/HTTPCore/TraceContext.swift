import Basics

/// The place of a call in a trace: the content of `traceparent` and `tracestate` (W3C Trace Context).
public struct TraceContext: Sendable, Equatable {
    /// The trace id, 32 lower-case hexadecimal digits.
    public let traceID: String
    /// The id of the span that the call is part of, 16 lower-case hexadecimal digits.
    public let parentID: String
    /// The trace flags, two lower-case hexadecimal digits, passed on unchanged.
    public let flags: String
    /// The tracing systems' own data (`tracestate`), passed on unchanged; nil when the caller sent none that is usable.
    public let state: String?

    /// The largest `tracestate` in bytes that is passed on; a longer one is dropped as a whole (section 3.3.1.5).
    public static let stateLimit = 512

    /// The number of random bytes that `init(random:)` takes.
    public static let randomBytes = 24
    /// The number of random bytes that `child(random:)` takes.
    public static let childBytes = 8

    private init(traceID: String, parentID: String, flags: String, state: String?) {
        self.traceID = traceID
        self.parentID = parentID
        self.flags = flags
        self.state = state
    }

    /// Parses the context that a caller sent.
    ///
    /// Nil when its `traceparent` is not well-formed (section 3.2.2); `tracestate` is then ignored.
    ///
    /// - Parameters:
    ///   - traceparent: The value of the field, which may occur only once.
    ///   - tracestate: The value of each `tracestate`, in order; dropped when it violates its grammar or a bound.
    public init?(traceparent: String, tracestate: [String] = []) {
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            Self.areDigits(bytes[0..<2]), bytes[0..<2] != [0x66, 0x66], Self.areDigits(bytes[53..<55]),
            Self.isID(bytes[3..<35]), Self.isID(bytes[36..<52])
        else { return nil }
        // A later version may append further fields, which are ignored.
        guard bytes.count == 55 || bytes[0..<2] != [0x30, 0x30] && bytes[55] == Self.dash else { return nil }
        let state = tracestate.joined(separator: ",")
        self.init(
            traceID: String(decoding: bytes[3..<35], as: UTF8.self),
            parentID: String(decoding: bytes[36..<52], as: UTF8.self),
            flags: String(decoding: bytes[53..<55], as: UTF8.self), state: TraceState.isUsable(state) ? state : nil)
    }

    /// Begins a new trace with the recording flag off: flags `00`.
    ///
    /// - Parameter random: 24 unpredictable bytes: 16 for the trace, 8 for the span.
    public init(random: [UInt8]) {
        precondition(random.count == Self.randomBytes)
        self.init(
            traceID: Self.digits(random[0..<16]), parentID: Self.digits(random[16..<24]), flags: "00", state: nil)
    }

    /// The context of an outgoing call: the same trace, another span.
    ///
    /// - Parameter random: 8 bytes for the span.
    /// - Returns: The context with `random` as its span; `flags` and `state` are kept.
    public func child(random: [UInt8]) -> TraceContext {
        precondition(random.count == Self.childBytes)
        return TraceContext(traceID: traceID, parentID: Self.digits(random[...]), flags: flags, state: state)
    }

    /// The value of `traceparent`, in the form of version 00.
    public var traceparent: String { "00-\(traceID)-\(parentID)-\(flags)" }

    private static let dash = UInt8(ascii: "-")

    /// The hexadecimal digits of an id; an id of zeros only counts as absent (sections 3.2.2.3 and 3.2.2.4).
    private static func digits(_ bytes: ArraySlice<UInt8>) -> String {
        let isNone = bytes.allSatisfy { $0 == 0 }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { out in
            var place = 0
            for byte in bytes {
                out[place] = digit(byte >> 4)
                out[place + 1] = digit(byte & 15)
                place += 2
            }
            if isNone { out[place - 1] = UInt8(ascii: "1") }
            return place
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    private static func isID(_ digits: ArraySlice<UInt8>) -> Bool {
        areDigits(digits) && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func areDigits(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }
}
