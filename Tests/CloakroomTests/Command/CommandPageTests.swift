import Foundation
import Testing

@testable import Arguments
@testable import CloakroomCommand
@testable import CloakroomDemo
@testable import LedgerExample

@Suite("The page on the command line")
struct CommandPageTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/command-line.md")

    private static let programs = [
        CloakroomCommand.Main.program, CloakroomDemo.DemoMain.program, LedgerExample.program,
    ]

    @Test func `says of every command what its declaration says`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        for section in Self.programs.flatMap(CommandPage.sections) {
            #expect(text.contains("\n\(section)\n"), "expected in docs/command-line.md:\n\(section)")
        }
    }

    @Test func `has no section of a command that does not exist, and none twice`() throws {
        let lines = try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n")
        let headings = lines.filter { $0.hasPrefix("#") && $0.contains("`") }.map(String.init)
        #expect(headings == Self.programs.flatMap(CommandPage.headings))
        let rows = lines.filter { $0.hasPrefix("| `") }.count
        let parameters = Self.programs.flatMap { CommandPath($0.root).all }.map(\.command.parameters.count)
        #expect(rows == parameters.reduce(0, +))
    }
}

/// What the page says of a program, made from its declarations.
enum CommandPage {
    static func headings(_ program: Program) -> [String] { CommandPath(program.root).all.map(heading) }

    /// One section a command: heading, summary, usage, table, rules.
    static func sections(_ program: Program) -> [String] {
        CommandPath(program.root).all.map { path in
            let command = path.command
            var blocks = [heading(path), command.summary]
            blocks.append("```text\n\(UsageLine(path).text(after: "", width: 10_000))\n```")
            if !command.parameters.isEmpty { blocks.append(table(command.parameters)) }
            if !command.rules.isEmpty {
                blocks.append(command.rules.map { "- \($0.sentence)" }.joined(separator: "\n"))
            }
            return blocks.joined(separator: "\n\n")
        }
    }

    private static func heading(_ path: CommandPath) -> String {
        "\(path.below.isEmpty ? "##" : "###") `\(path.text)`"
    }

    private static func table(_ parameters: [Declaration]) -> String {
        let rows = parameters.map { declaration in
            let name = (declaration.short.map { "`-\($0)`, " } ?? "") + "`\(declaration.spelling)`"
            let cells = [name, declaration.expected, missing(declaration), declaration.help]
            return "| \(cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ")) |"
        }
        return (["| Parameter | Takes | When it is missing | |", "|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func missing(_ declaration: Declaration) -> String {
        if let text = declaration.defaultText { return "`\(text)`" }
        let end = declaration.isRepeatable ? "; may be repeated" : ""
        if declaration.isRequired { return "refused" + end }
        return declaration.isRepeatable ? "none" + end : ""
    }
}
