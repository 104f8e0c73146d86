import Arguments

/// Prints the version.
enum Version {
    /// The version of this build.
    static let text = "0.1.0"

    static let command = Command("version", summary: "Prints the version.") { _ throws(CommandError) in
        print(text)
    }
}
