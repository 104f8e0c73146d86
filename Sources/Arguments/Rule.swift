/// A rule between the parameters of a command.
public struct Rule: Sendable {
    enum Kind: Sendable, Equatable {
        case exactlyOne
        /// The first parameter requires the second.
        case needs
    }

    let kind: Kind
    let members: [Declaration]

    private init(_ kind: Kind, _ members: [Declaration]) {
        precondition(members.count > 1, "a rule is between parameters")
        self.kind = kind
        self.members = members
    }

    /// A rule that exactly one of the parameters must be given.
    ///
    /// - Parameter parameters: Two or more optional parameters.
    /// - Returns: The rule.
    public static func exactlyOne<each Value>(of parameters: repeat Parameter<each Value>) -> Rule {
        Rule(.exactlyOne, declarations(repeat each parameters))
    }

    /// A rule that one parameter has no meaning without another.
    ///
    /// - Parameters:
    ///   - parameter: The parameter that requires the other.
    ///   - other: The parameter that must be given with it.
    /// - Returns: The rule.
    public static func needs<One, Other>(_ parameter: Parameter<One>, _ other: Parameter<Other>) -> Rule {
        Rule(.needs, [parameter.declaration, other.declaration])
    }

    private static func declarations<each Value>(_ parameters: repeat Parameter<each Value>) -> [Declaration] {
        var declarations: [Declaration] = []
        repeat declarations.append((each parameters).declaration)
        return declarations
    }

    /// The rule as an instruction.
    public var sentence: String {
        let names = members.map(\.spelling)
        let listed = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return switch kind {
        case .exactlyOne: names.count == 2 ? "Give either \(listed)." : "Give exactly one of \(listed)."
        case .needs: "\(members[0].label) needs \(names[1])."
        }
    }

    /// The message about arguments that violate the rule; nil if they satisfy it.
    func complaint(about given: ArgumentValues) -> String? {
        guard !holds(for: given) else { return nil }
        let present = members.filter { given.has($0.name) }.map(\.label)
        guard kind != .needs, present.count > 1 else { return sentence }
        let given = members.count == 2 ? "both" : present.joined(separator: " and ")
        return "\(sentence.dropLast()), not \(given)."
    }

    /// True if the arguments satisfy the rule.
    private func holds(for given: ArgumentValues) -> Bool {
        let count = members.count { given.has($0.name) }
        return switch kind {
        case .exactlyOne: count == 1
        case .needs: !given.has(members[0].name) || given.has(members[1].name)
        }
    }
}
