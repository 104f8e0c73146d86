/// A day of the Gregorian calendar, without a time zone.
package struct CalendarDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package let year: Int64
    /// The month of the year, 1 to 12.
    package let month: Int64
    /// The day of the month, 1 to 31.
    package let day: Int64

    /// The date a number of days after 1970-01-01, or before it if negative.
    ///
    /// Counts in eras of 400 years that begin on the first of March, so that the leap day comes last.
    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// A date of the calendar; nil when there is no such day in the years 0 to 9999.
    package init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let date = CalendarDate(daysSince1970: Self.days(year, month, day))
        guard date.month == month, date.day == day else { return nil }
        self = date
    }

    /// The days between 1970-01-01 and this one; negative before.
    package var daysSince1970: Int64 { Self.days(year, month, day) }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Timestamp {
    /// As `2026-01-31T23:59:59Z` (RFC 3339); years outside 0 to 9999 are moved to the nearest instant inside.
    package var rfc3339: String {
        let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
        let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        let date = CalendarDate(daysSince1970: day)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let year = String(date.year)
        let padded = String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
        return
            "\(padded)-\(two(date.month))-\(two(date.day))T\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }
}
