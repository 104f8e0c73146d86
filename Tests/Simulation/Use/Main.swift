import CSimulation
import Glibc

/// The program `simulate`; `docs/simulation.md` says how it is used.
@main enum Main {
    static func main() {
        // The order of dictionaries follows from their contents alone.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
            execv("/proc/self/exe", &arguments)
        }
        if CommandLine.arguments.dropFirst().contains(where: { $0 == "--help" || $0 == "-h" }) {
            print(Options.usage)
            exit(0)
        }
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            // Makes the keys of the provider, which no seed decides.
            _ = try Choice(seed: 0, kind: Mix.Kind.none).run()
            let isClean = try options.seed == nil ? Batch(options).run() : Single(options).run()
            exit(isClean ? 0 : 1)
        } catch let error as Options.WrongError {
            print("\(error.text)\n\(Options.usage)")
            exit(2)
        } catch {
            print("the world cannot be built: \(error)")
            exit(1)
        }
    }
}
