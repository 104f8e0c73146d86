import Basics
import Testing

@Suite("A calendar date")
struct CalendarDateTests {
    @Test(
        "is a count of days",
        arguments: [
            (0, 1970, 1, 1), (-1, 1969, 12, 31), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1), (47_541, 2100, 3, 1),
            (47_540, 2100, 2, 28), (-719_528, 0, 1, 1), (2_932_896, 9999, 12, 31), (19_782, 2024, 2, 29),
        ] as [(Int64, Int64, Int64, Int64)])
    func days(_ days: Int64, _ year: Int64, _ month: Int64, _ day: Int64) throws {
        let date = CalendarDate(daysSince1970: days)
        #expect((date.year, date.month, date.day) == (year, month, day))
        #expect(try #require(CalendarDate(year: year, month: month, day: day)).daysSince1970 == days)
    }

    @Test(
        "does not exist",
        arguments: [
            (2100, 2, 29), (2023, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0),
            (2024, 1, 32), (-1, 1, 1), (10_000, 1, 1), (.max, .max, .max),
        ] as [(Int64, Int64, Int64)])
    func missing(_ year: Int64, _ month: Int64, _ day: Int64) {
        #expect(CalendarDate(year: year, month: month, day: day) == nil)
    }

    @Test("counts every day of 800 years in order")
    func everyDay() {
        var previous = CalendarDate(daysSince1970: -146_098)
        for days in Int64(-146_097)...146_097 {
            let date = CalendarDate(daysSince1970: days)
            let inOrder =
                (date.year, date.month, date.day) > (previous.year, previous.month, previous.day)
                && date.daysSince1970 == days
            if !inOrder { Issue.record("\(days)") }
            previous = date
        }
    }

    @Test("is written with a time")
    func written() {
        #expect(Timestamp(seconds: 1_767_225_599).rfc3339 == "2025-12-31T23:59:59Z")
        #expect(Timestamp(seconds: -1).rfc3339 == "1969-12-31T23:59:59Z")
        #expect(Timestamp(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59Z")
        #expect(Timestamp(milliseconds: .min).rfc3339 == "0000-01-01T00:00:00Z")
    }
}
