import Basics
import Testing

@Suite("An instant")
struct TimestampTests {
    @Test(
        "has whole seconds, rounded down",
        arguments: [
            (0, 0), (999, 0), (1000, 1), (-1, -1), (-1000, -1), (-1001, -2), (.max, 9_223_372_036_854_775),
            (.min, -9_223_372_036_854_776),
        ] as [(Int64, Int64)])
    func seconds(_ milliseconds: Int64, _ seconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).seconds == seconds)
    }

    @Test("counts the milliseconds to another one as a duration does")
    func milliseconds() {
        let values: [Int64] = [.min, -1001, -1000, -1, 0, 1, 999, 1000, 1001, .max]
        for start in values.map(Timestamp.init(milliseconds:)) {
            for end in values.map(Timestamp.init(milliseconds:)) {
                #expect(start.milliseconds(until: end) == (end - start).milliseconds)
                #expect(end.secondsLeft(at: start) == max(0, (end - start).wholeSeconds))
            }
            for span in values { #expect(start.adding(milliseconds: span) == start + .milliseconds(span)) }
        }
    }

    @Test("saturates at both ends")
    func saturates() {
        let first = Timestamp(milliseconds: .min)
        let last = Timestamp(milliseconds: .max)
        #expect(last + .seconds(1) == last)
        #expect(first - .seconds(1) == first)
        #expect(first + .seconds(-1) == first)
        #expect(last - .seconds(-1) == last)
        #expect(last - first == .milliseconds(Int64.max))
        #expect(first - last == .milliseconds(Int64.min))
        #expect(Timestamp(seconds: .max) == last)
        #expect(Timestamp(seconds: .min) == first)
        #expect((Duration.seconds(Int64.max / 1000) + .milliseconds(999)).milliseconds == .max)
    }
}
