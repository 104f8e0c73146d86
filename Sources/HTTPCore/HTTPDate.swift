public import Basics

/// Dates in header fields: written as RFC 9110 section 5.6.7 asks, read as leniently as cookies need.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// An instant as `Sun, 06 Nov 1994 08:49:37 GMT`; years outside 0 to 9999 are moved to the nearest one inside.
    public static func format(_ instant: Timestamp) -> String {
        let seconds = min(max(instant.seconds, -62_167_219_200), 253_402_300_799)
        let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        let (year, month, dayOfMonth) = civil(day)
        let weekday = days[Int((day % 7 + 7) % 7)]
        return
            "\(weekday), \(pad(dayOfMonth, 2)) \(months[Int(month) - 1]) \(pad(year, 4)) "
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
        let date = daysSince1970(year: year, month: month, day: day)
        guard civil(date) == (year, month, day) else { return nil }
        return Timestamp(seconds: date * 86_400 + hour * 3600 + minute * 60 + second)
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

    /// The parts of a date as they are met; the first that fits is taken.
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

        /// Leading digits, as many as allowed, followed by the end or something that is no digit.
        private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
            let leading = token.prefix { (0x30...0x39).contains($0) }
            guard digits.contains(leading.count) else { return nil }
            return leading.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        private static func time(_ token: ArraySlice<UInt8>) -> (Int64, Int64, Int64)? {
            let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, fields[0].count <= 2, fields[1].count <= 2,
                fields[0].allSatisfy({ (0x30...0x39).contains($0) }),
                fields[1].allSatisfy({ (0x30...0x39).contains($0) }),
                let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
                let second = number(fields[2], digits: 1...2)
            else { return nil }
            return (hour, minute, second)
        }

        private static func month(_ token: ArraySlice<UInt8>) -> Int64? {
            let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
            return months.firstIndex { $0.lowercased() == name }.map { Int64($0) + 1 }
        }
    }

    /// Days since 1970-01-01 of a date in the Gregorian calendar.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day since 1970-01-01.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
