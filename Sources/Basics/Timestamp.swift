/// An instant of wall-clock time, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Codable, Sendable {
    /// Milliseconds since 1970, without leap seconds.
    public var milliseconds: Int64

    /// An instant from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// An instant from whole seconds since 1970, the unit of `exp`, `iat` and `auth_time`.
    public init(seconds: Int64) {
        milliseconds =
            seconds.multipliedReportingOverflow(by: 1000).overflow
            ? (seconds < 0 ? .min : .max) : seconds * 1000
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }

    /// True if the left instant is earlier than the right one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant this many milliseconds later; saturates instead of overflowing.
    public func adding(milliseconds span: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(span)
        return Timestamp(milliseconds: overflow ? (span < 0 ? .min : .max) : sum)
    }

    /// The milliseconds from here to another instant, negative when that is earlier; saturates instead of overflowing.
    ///
    /// In place of a `Duration` where every request asks: that one counts in attoseconds, with 128 bits.
    public func milliseconds(until end: Timestamp) -> Int64 {
        let (span, overflow) = end.milliseconds.subtractingReportingOverflow(milliseconds)
        return overflow ? (end < self ? .min : .max) : span
    }

    /// The whole seconds that are left of a life that ends here; 0 when it is over.
    public func secondsLeft(at now: Timestamp) -> Int64 {
        max(0, now.milliseconds(until: self) / 1000)
    }

    /// The instant after a span; saturates instead of overflowing.
    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return Timestamp(milliseconds: overflow ? (right < .zero ? .min : .max) : sum)
    }

    /// The instant before a span; saturates instead of overflowing.
    public static func - (left: Timestamp, right: Duration) -> Timestamp {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return Timestamp(milliseconds: overflow ? (right < .zero ? .max : .min) : difference)
    }

    /// The span between two instants; saturates instead of overflowing.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        let (span, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return .milliseconds(overflow ? (left < right ? .min : .max) : span)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return carried ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole seconds, rounded towards zero.
    public var wholeSeconds: Int64 { components.seconds }
}
