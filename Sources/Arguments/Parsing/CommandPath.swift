/// A command with those above it: `cloakroom check`.
struct CommandPath: Sendable {
    let root: Command
    private(set) var below: [Command] = []

    init(_ root: Command) { self.root = root }

    var command: Command { below.last ?? root }

    /// As it is typed.
    var text: String { ([root] + below).map(\.name).joined(separator: " ") }

    /// The path of a command of this one.
    func appending(_ command: Command) -> CommandPath {
        var path = self
        path.below.append(command)
        return path
    }

    /// The paths of this command and all below it, in the order of help.
    var all: [CommandPath] { [self] + command.commands.flatMap { appending($0).all } }
}
