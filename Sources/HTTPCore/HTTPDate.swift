public import Basics

/// Dates in header fields: written by RFC 9110 section 5.6.7, read as leniently as cookies need.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats an instant as `Sun, 06 Nov 1994 08:49:37 GMT`; a year outside 0 to 9999 is moved to the nearest limit.
    public static func format(_ instant: Timestamp) -> String {
        let seconds = min(max(instant.seconds, -62_167_219_200), 253_402_300_799)
        let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        let date = CalendarDate(daysSince1970: day)
        let weekday = days[Int((day % 7 + 7) % 7)]
        return
            "\(weekday), \(pad(date.day, 2)) \(months[Int(date.month) - 1]) \(pad(date.year, 4)) "
            + "\(pad(time / 3600, 2)):\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2)) GMT"
    }

    /// Reads a date by the tolerant rules of RFC 6265 section 5.1.1, which cover the three forms of RFC 9110.
    ///
    /// - Returns: The instant; nil when a part is missing or out of range.
    public static func parse(_ text: some StringProtocol) -> Timestamp? {
        guard text.utf8.count <= 256 else { return nil }
        var parts = Parts()
        for token in Array(text.utf8).split(whereSeparator: isDelimiter) { parts.take(token) }
        guard let (hour, minute, second) = parts.time, let day = parts.day, let month = parts.month,
            var year = parts.year
        else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard year >= 1601, (1...31).contains(day), hour <= 23, minute <= 59, second <= 59 else { return nil }
        guard let date = CalendarDate(year: year, month: month, day: day) else { return nil }
        return Timestamp(seconds: date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The parts of a date found so far; the first token that fits a part is used.
    private struct Parts {
        var time: (hour: Int64, minute: Int64, second: Int64)?
        var day: Int64?
        var month: Int64?
        var year: Int64?

        mutating func take(_ token: ArraySlice<UInt8>) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = Self.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = Self.number(token, digits: 2...4) {
                year = found
            }
        }

        /// The number of leading digits, whose count must be in the range and which a non-digit or the end must follow.
        private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
            let leading = token.prefix { $0.isDigit }
            guard digits.contains(leading.count) else { return nil }
            return leading.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        private static func time(_ token: ArraySlice<UInt8>) -> (Int64, Int64, Int64)? {
            let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0].count <= 2, fields[1].count <= 2,
                fields[0].allSatisfy(\.isDigit),
                fields[1].allSatisfy(\.isDigit),
                let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
                let second = number(fields[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func month(_ token: ArraySlice<UInt8>) -> Int64? {
            months.firstIndex { $0.utf8.elementsEqual(token.prefix(3)) { $0 | 0x20 == $1 | 0x20 } }.map {
                Int64($0) + 1
            }
        }
    }
}
