import Basics
import Logs

@testable import Arguments

/// A program with a parameter of every kind, whose commands end by telling what they were given.
enum Sample {
    enum Colour: String, CaseIterable { case red, green, blue }

    static let config = Parameter.option("config", short: "c", .path, "FILE", completion: .files, help: "A file.")
    static let ready = Parameter.option("ready", .text("an address"), "URL", help: "An address.")
    static let live = Parameter.flag("live", short: "l", help: "Also try.")
    static let verbose = Parameter.flag("verbose", short: "v", help: "Tells more.")
    static let port = Parameter.option("port", short: "p", .port, "PORT", default: "8080", help: "A port; 0 is any.")
    static let count = Parameter.option("count", .number(-5...5), "N", default: "0", help: "A number.")
    static let wait = Parameter.option(
        "wait", .duration(.zero ... .seconds(60)), "DURATION", default: "5s", help: "A time.")
    static let level = Parameter.option("log-level", .level, "LEVEL", default: "warning", help: "A level.")
    static let colour = Parameter.option("colour", ValueForm<Colour>.anyCase, "COLOUR", help: "A colour.")
    static let client = Parameter.list("client", short: "C", .name, "ID", help: "A client.")
    static let issuer = Parameter.required("issuer", .text("an address"), "URL", help: "An issuer.")
    static let from = Parameter.operand("FROM", .path, completion: .files, help: "What is copied.")
    static let to = Parameter.operands("TO", .path, help: "Where to.")

    static let check = Command(
        "check", summary: "Checks a file or a server.", discussion: "One paragraph.\n\nAnother one.\n  as it is",
        takes: config, ready, live, rules: [.exactlyOne(of: config, ready), .needs(live, config)]
    ) { given throws(CommandError) in
        throw .failed("\(given[config] ?? "-") \(given[ready] ?? "-") \(given[live])")
    }

    static let serve = Command(
        "serve", summary: "Serves.", takes: port, count, wait, level, colour, client, live, verbose
    ) { given throws(CommandError) in
        let words = [
            "\(given[port])", "\(given[count])", ValueForm<Duration>.text(given[wait]), given[level].rawValue,
            given[colour]?.rawValue ?? "-", given[client].joined(separator: "+"), "\(given[live])",
            "\(given[verbose])",
        ]
        throw .failed(words.joined(separator: " "))
    }

    static let copy = Command("copy", summary: "Copies.", takes: from, to, live) { given throws(CommandError) in
        throw .failed("\(given[from]) > \(given[to].joined(separator: " > ")) \(given[live])")
    }

    static let trust = Command("trust", summary: "Trusts an issuer.", takes: issuer) { given throws(CommandError) in
        throw .failed(given[issuer])
    }

    static let refuse = Command("refuse", summary: "Finds fault.") { _ throws(CommandError) in
        throw .wrongUse("That will not do.")
    }

    static let tell = Command("tell", summary: "Has told already.") { _ throws(CommandError) in throw .reported }

    static let nothing = Command("nothing", summary: "Does nothing.") { _ throws(CommandError) in }

    static let keys = Command(
        "key", summary: "Keys.",
        commands: [
            Command("new", summary: "Makes one.", takes: client) { given throws(CommandError) in
                throw .failed("new \(given[client])")
            }
        ])

    static let program = Program(
        Command(
            "sample", summary: "A sample.", discussion: "More of it.",
            commands: [check, serve, copy, trust, refuse, tell, nothing, keys]), version: "1.2.3")

    /// A program of one command, without a version.
    static let single = Program(
        Command(
            "single", summary: "One command.", takes: live, from
        ) { given throws(CommandError) in
            throw .failed("\(given[from]) \(given[live])")
        })

    /// What a program answers to words.
    static func answer(_ words: [String], _ program: Program = program, width: Int = 80) async -> Program.Answer {
        await program.answer(to: words.map { .text($0) }, width: width)
    }

    /// What a command was given, or why nothing was; each without what all messages have.
    static func told(_ words: [String], _ program: Program = program) async -> String {
        let answer = await answer(words, program)
        return answer.errors.split(separator: "\n").first.map { String($0.dropFirst("Error: ".count)) } ?? ""
    }
}
