/// A command with its parent commands: `cloakroom check`.
struct CommandPath: Sendable {
    let root: Command
    private(set) var below: [Command] = []

    init(_ root: Command) { self.root = root }

    var command: Command { below.last ?? root }

    /// The path as a user types it.
    var text: String { ([root] + below).map(\.name).joined(separator: " ") }

    /// The path of a subcommand.
    func appending(_ command: Command) -> CommandPath {
        var path = self
        path.below.append(command)
        return path
    }

    /// The paths of this command and all its subcommands, in the order of help.
    var all: [CommandPath] { [self] + command.commands.flatMap { appending($0).all } }
}
