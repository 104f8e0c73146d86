extension ValueForm where Value == Duration {
    /// Numbers with the units `d`, `h`, `m`, `s` and `ms`, the larger first: `90s`, `1h30m`.
    ///
    /// - Parameter range: The durations that are taken.
    /// - Returns: The form.
    public static func duration(_ range: ClosedRange<Duration>) -> Self {
        ValueForm(expected: "a duration from \(text(range.lowerBound)) to \(text(range.upperBound))") { text in
            duration(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private static let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)].map {
        (name: $0.0, milliseconds: Int64($0.1))
    }

    private static func duration(_ text: String) -> Duration? {
        var rest = text[...]
        var total: Int64 = 0
        var smallest = Int64.max
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let letters = rest[digits.endIndex...].prefix { $0.isLetter }
            guard let count = decimal(digits), let unit = units.first(where: { $0.name == letters }),
                unit.milliseconds < smallest
            else { return nil }
            let (span, tooLong) = Int64(count).multipliedReportingOverflow(by: unit.milliseconds)
            let (sum, overflow) = total.addingReportingOverflow(span)
            guard !tooLong, !overflow else { return nil }
            (total, smallest) = (sum, unit.milliseconds)
            rest = rest[letters.endIndex...]
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    /// The shortest text with one unit: `90s`, `1h`; whole milliseconds.
    ///
    /// - Parameter duration: What to write.
    /// - Returns: A text that the form takes.
    public static func text(_ duration: Duration) -> String {
        let span = duration.milliseconds
        if span == 0 { return "0s" }
        let unit = units.first { span.isMultiple(of: $0.milliseconds) } ?? ("ms", 1)
        return "\(span / unit.milliseconds)\(unit.name)"
    }
}
