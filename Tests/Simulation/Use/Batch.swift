import Basics
import CSimulation
import Glibc

/// Many worlds, one after the other.
struct Batch {
    private let options: Options

    init(_ options: Options) {
        self.options = options
    }

    /// - Returns: Whether every rule was kept in all of them.
    func run() throws -> Bool {
        guard !options.printsFingerprints else { return try printFingerprints() }
        var report = Report(isUsual: options.isUsual)
        if options.isUsual { for found in Found.all { report.add(try found.choice.run()) } }
        let began = simulation_machine_time()
        let end = options.seconds.map { began + Int64($0) * 1_000_000_000 } ?? .max
        var left = options.count ?? (options.seconds == nil ? 100 : .max)
        var nextLine = began + 10_000_000_000
        var seed = options.from
        while left > 0, simulation_machine_time() < end {
            report.add(try options.choice(seed).run())
            seed += 1
            left -= 1
            if options.endsWhenBroken, !report.isClean { break }
            guard simulation_machine_time() > nextLine else { continue }
            print(report.progress)
            fflush(nil)
            nextLine += 10_000_000_000
        }
        report.print()
        return report.isClean
    }

    /// To be compared with what another process prints.
    private func printFingerprints() throws -> Bool {
        for seed in options.from..<options.from + UInt64(options.count ?? 10) {
            print("\(seed) \(try options.choice(seed).run().fingerprint)")
        }
        return true
    }
}
