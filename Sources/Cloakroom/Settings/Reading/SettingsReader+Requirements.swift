internal import Basics
internal import ResourceServer
internal import SettingsKit

extension SettingsReader {
    private static let highestLevel = Int(Int32.max)

    /// Reads the section `requirements`, in its order, with the names of requirements that cannot be read.
    func readRequirements(_ top: Section) -> RequirementsPart {
        var part = RequirementsPart()
        for (name, section) in top.named("requirements") {
            part.names.append(name)
            guard !Settings.isReserved(name) else {
                context.report(section.path, line: section.line, "has a name that is not free: signed-in, none or c_…")
                continue
            }
            if let requirement = readRequirement(name, section) { part.requirements.append(requirement) }
        }
        return part
    }

    private func readRequirement(_ name: String, _ section: Section) -> Requirement? {
        guard section.exists else { return nil }
        var requirement = Requirement(name: name)
        requirement.scopes = section.someOf("scopes", .word("a scope without spaces")) ?? []
        requirement.acr = readACR(section)
        requirement.amr = readAMR(section)
        requirement.authLevel = section.value("authLevel", .number(1...Self.highestLevel))
        requirement.maxAge = section.value("maxAge", .maxAge)
        requirement.stepUp = section.value("stepUp", .name)
        requirement.challengeACR = section.value("challengeAcr", .word("an acr value without spaces"))
        requirement.needsBoundDevice = section.value("device", .choice(["bound": true])) ?? false
        readMachines(section, &requirement)
        section.finish()
        let ruled = ["scopes", "acr", "amr", "authLevel", "device"].contains(where: section.contains)
        if !ruled, !section.contains("maxAge") || requirement.maxAge == .session,
            !context.isReported(section.key("machines"))
        {
            context.report(
                section.path, line: section.line,
                "is met by everybody; expected scopes, acr, amr, authLevel, device or a duration in maxAge")
        }
        let strong = ["acr", "amr", "authLevel"].filter(section.contains)
        if !strong.isEmpty, !section.contains("maxAge") {
            context.report(
                section.key("maxAge"), line: section.line,
                "is missing; a requirement with \(strong[0]) says how old the sign-in may be, 5m or session")
        }
        return requirement
    }

    /// Reads `machines`, which is allowed only without demands on a sign-in: a client's own token has no user who
    /// signed in.
    private func readMachines(_ section: Section, _ requirement: inout Requirement) {
        guard let machines = section.value("machines", .flag) else { return }
        requirement.machines = machines
        let others = ["acr", "amr", "authLevel", "maxAge", "device", "stepUp", "challengeAcr"]
        if machines, let other = others.first(where: section.contains) {
            context.report(
                section.key("machines"),
                "expected scopes and nothing else beside this, because a client cannot meet \(other)")
        } else if machines, !section.contains("scopes") {
            context.report(section.key("machines"), "expected scopes beside this, or every client's token would do")
        }
    }

    private func readACR(_ section: Section) -> ACRRule? {
        let part = section.section("acr")
        let form = ValueForm.word("an acr value without spaces")
        let any = part.someOf("anyOf", form)
        let order = part.someOf("order", form)
        let minimum = part.value("min", form)
        part.finish()
        guard part.exists else { return nil }
        guard part.contains("anyOf") != (part.contains("order") || part.contains("min")) else {
            context.report(part.path, line: part.line, "expected either anyOf, or order and min")
            return nil
        }
        if part.contains("anyOf") { return any.map { .anyOf($0) } }
        guard part.contains("order"), part.contains("min") else {
            context.report(part.path, line: part.line, "expected order and min together")
            return nil
        }
        guard let order, let minimum else { return nil }
        guard order.contains(minimum) else {
            context.report(part.key("min"), "expected one of the values in order")
            return nil
        }
        return .order(order, minimum: minimum)
    }

    /// Reads `amr`; a plain list means all of its values.
    private func readAMR(_ section: Section) -> AMRRule? {
        let form = ValueForm.word("an authentication method without spaces")
        guard section.isMapping("amr") else {
            return section.someOf("amr", form).map { .all($0) }
        }
        let part = section.section("amr")
        let all = part.someOf("all", form)
        let any = part.someOf("any", form)
        part.finish()
        guard part.contains("all") != part.contains("any") else {
            context.report(part.path, line: part.line, "expected either all or any")
            return nil
        }
        return all.map { .all($0) } ?? any.map { .any($0) }
    }
}

/// The content of the section `requirements`.
struct RequirementsPart {
    /// Every name, also of requirements that cannot be read, so that one mistake does not become two problems.
    var names: [String] = []
    /// The requirements that can be read.
    var requirements: [Requirement] = []
}

extension ValueForm where Value == MaxAge {
    /// A duration, or the session's own age.
    static var maxAge: Self {
        let form = ValueForm<Duration>.duration(.seconds(1) ... .seconds(30 * 86_400))
        return ValueForm(expected: form.expected + ", or session") { text in
            text == "session" ? .session : form.parse(text).map { .age($0) }
        }
    }
}
