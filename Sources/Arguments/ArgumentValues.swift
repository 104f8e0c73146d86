/// The values of a command's parameters on the command line.
public struct ArgumentValues: Sendable {
    /// The words by name of the parameter; a flag has an empty word.
    let words: [String: [String]]
    private let declared: Set<String>

    init(_ words: [String: [String]], of command: Command) {
        self.words = words
        declared = Set(command.parameters.map(\.name))
    }

    /// The value of a parameter of the command.
    ///
    /// A parameter that the command does not declare is a programming error and traps.
    ///
    /// - Parameter parameter: A parameter that the command declares.
    public subscript<Value>(_ parameter: Parameter<Value>) -> Value {
        let name = parameter.declaration.name
        precondition(declared.contains(name), "the command does not take \(name)")
        return parameter.value(words[name] ?? [])
    }

    /// True if the parameter is on the command line; a default does not count.
    func has(_ name: String) -> Bool { words[name] != nil }
}
