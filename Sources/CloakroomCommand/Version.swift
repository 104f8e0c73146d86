import ArgumentParser

/// Prints the version.
struct Version: ParsableCommand {
    /// The version of this build.
    static let text = "0.1.0"

    static let configuration = CommandConfiguration(abstract: "Prints the version.")

    func run() {
        print(Self.text)
    }
}
