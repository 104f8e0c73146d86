import ArgumentParser

/// A time on the command line: `90s`, `5m` or `1h`.
struct LimitOption: ExpressibleByArgument {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]

    let duration: Duration

    init?(argument: String) {
        let digits = argument.dropLast()
        guard let unit = argument.last.flatMap({ Self.units[$0] }), 1...5 ~= digits.utf8.count,
            digits.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let count = Int64(digits), count > 0
        else { return nil }
        duration = .seconds(count * unit)
    }

    init(minutes: Int64) { duration = .seconds(minutes * 60) }

    var defaultValueDescription: String { "\(duration.components.seconds / 60)m" }
}
