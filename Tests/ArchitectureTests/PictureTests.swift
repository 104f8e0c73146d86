import Testing

@Suite("The pictures of the architecture")
struct PictureTests {
    private func pictures(_ kind: String) throws -> [Picture] {
        Picture.all(in: try Repository.text("docs/architecture.md")).filter { $0.kind == kind }
    }

    /// All that a target reaches through those that it imports.
    private static func reached(from name: String) -> Set<String> {
        let modules = ModuleTable.rows.first { $0.name == name }?.modules ?? []
        return modules.reduce(into: modules) { $0.formUnion(reached(from: $1)) }
    }

    /// An arrow that follows from others is left out: who imports `HTTPCore` has `Basics` as well.
    @Test func `show each module with those that it does not reach by another one`() throws {
        let picture = try #require(try pictures("flowchart BT").first)
        let expected = ModuleTable.rows.flatMap { row in
            row.modules.filter { name in !row.modules.contains { Self.reached(from: $0).contains(name) } }
                .map { "\(row.name) --> \($0)" }
        }
        #expect(picture.arrows.map { "\($0.from) --> \($0.to)" }.sorted() == expected.sorted())
    }

    /// Every step names a function of a file, and who calls names it too.
    @Test func `name a function and its file for each step, called where the picture says so`() throws {
        let modules = Set(ModuleTable.rows.map(\.name))
        let files = try Repository.swiftFiles(below: "Sources")
        let sequences = try pictures("sequenceDiagram")
        #expect(sequences.count == 3)
        for sequence in sequences {
            let steps = sequence.steps(into: modules)
            #expect(steps.count > 12)
            var seen: [String: [SourceFile]] = [:]
            for (number, step) in steps.enumerated() {
                let step = try #require(step, "step \(number + 1) names no function of a file")
                let text = "\(step.function) in \(step.file)"
                let file = try #require(
                    files.first { $0.target == step.module && $0.path.hasSuffix("/\(step.file)") }, "\(text)")
                #expect(
                    !file.code.withoutStrings.lines(containing: ["func \(step.function)(", "func \(step.function)<"])
                        .isEmpty,
                    "\(text)")
                if let callers = seen[step.caller] {
                    let call = "\(step.function)("
                    #expect(callers.contains { calls(call, in: $0) }, "\(text) is not called by \(step.caller)")
                } else {
                    #expect(
                        !modules.contains(step.caller) || number == 0, "nothing led to \(step.caller) before \(text)")
                }
                seen[step.module, default: []].append(file)
            }
        }
    }

    /// Whether a file has a call: the name with a parenthesis, not where it is declared.
    private func calls(_ call: String, in file: SourceFile) -> Bool {
        let names = [call, String(call.dropLast()) + " {", String(call.dropLast()) + "<"]
        return file.code.withoutStrings.lines(containing: names).contains { line in
            !line.text.contains("func \(call)") && !line.text.contains("func \(call.dropLast())<")
        }
    }
}
