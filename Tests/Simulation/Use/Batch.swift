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
        var report = Report()
        let began = simulation_machine_time()
        let end = options.seconds.map { began + Int64($0) * 1_000_000_000 } ?? .max
        let count = options.count ?? (options.seconds == nil ? 100 : .max)
        var nextLine = began + 10_000_000_000
        var seed = options.from
        while report.worlds < count, simulation_machine_time() < end {
            let outcome = try options.choice(seed).run()
            if options.printsFingerprints { print("\(seed) \(outcome.fingerprint)") }
            report.add(outcome)
            seed += 1
            let now = simulation_machine_time()
            if now > nextLine, !options.printsFingerprints {
                print(report.progress(now - began))
                fflush(nil)
                nextLine += 10_000_000_000
            }
        }
        if !options.printsFingerprints { report.print(simulation_machine_time() - began) }
        return report.isClean
    }
}
