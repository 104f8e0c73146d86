import Testing

@testable import Arguments

@Suite("Help")
struct HelpTests {
    @Test func `tells of a command what it takes`() async {
        let answer = await Sample.answer(["check", "--help"])
        #expect(answer.status == 0 && answer.errors.isEmpty)
        #expect(
            answer.output == """
                Checks a file or a server.

                USAGE
                  sample check (--config FILE | --ready URL) [--live]

                One paragraph.

                Another one.
                  as it is

                OPTIONS
                  -c, --config FILE  A file.
                      --ready URL    An address.
                  -l, --live         Also try.
                  -h, --help         Prints this help.
                      --version      Prints the version.

                """)
    }

    @Test func `tells of a program which commands it has`() async {
        let answer = await Sample.answer(["--help"])
        #expect(
            answer.output.hasPrefix("A sample.\n\nUSAGE\n  sample COMMAND [OPTION]...\n\nMore of it.\n\nCOMMANDS\n"))
        #expect(answer.output.contains("\n  check       Checks a file or a server.\n"))
        #expect(answer.output.contains("\n  help        Prints the help of a command.\n"))
        #expect(answer.output.hasSuffix("\n\n'sample help COMMAND' tells more about a command.\n"))
        #expect(!answer.output.contains("ARGUMENTS"))
    }

    @Test(
        "is what these ask for",
        arguments: [
            ([], ["--help"]), (["-h"], ["--help"]), (["help"], ["--help"]), (["--"], ["--help"]),
            (["help", "check"], ["check", "--help"]), (["check", "-h"], ["check", "--help"]),
            (["check", "-lh"], ["check", "--help"]), (["check", "--config", "a", "--help"], ["check", "--help"]),
            (["check", "--nothing", "--help"], ["check", "--help"]), (["check", "-c", "--help"], ["check", "--help"]),
            (["check", "a", "-h"], ["check", "--help"]), (["key"], ["key", "--help"]),
            (["help", "key", "new"], ["key", "new", "--help"]), (["help", "help"], ["help", "--help"]),
            (["completion", "tcsh", "-h"], ["completion", "--help"]),
        ] as [([String], [String])])
    func asked(words: [String], like: [String]) async {
        let answer = await Sample.answer(words)
        #expect(answer.status == 0 && answer.errors.isEmpty && !answer.output.isEmpty)
        #expect(await answer == Sample.answer(like))
    }

    @Test(
        "is not what these ask for",
        arguments: [
            ["chek", "--help"], ["check", "-c", "a", "b", "--", "--help"], ["check", "--config=--help", "b"],
        ])
    func notAsked(words: [String]) async {
        let answer = await Sample.answer(words)
        #expect(answer.status == 64 && answer.output.isEmpty)
    }

    @Test func `tells defaults, choices and what can be repeated`() async {
        let text = await Sample.answer(["serve", "-h"], width: 200).output
        #expect(text.contains("-p, --port PORT        A port; 0 is any (default: 8080).\n"))
        #expect(text.contains("--colour COLOUR    A colour (red, green or blue).\n"))
        #expect(text.contains("-C, --client ID        A client (may be repeated).\n"))
        #expect(text.contains("A level (trace, debug, info, notice, warning, error or critical; default: warning).\n"))
        let copy = await Sample.answer(["copy", "-h"]).output
        #expect(copy.contains("  sample copy [--live] FROM [TO]...\n"))
        #expect(copy.contains("ARGUMENTS\n  FROM  What is copied.\n  TO    Where to.\n"))
        let single = await Sample.answer(["-h"], Sample.single).output
        #expect(single.contains("  single [--live] FROM\n") && !single.contains("--version"))
    }

    @Test("fits the terminal", arguments: [40, 47, 60, 80, 133])
    func fits(width: Int) async {
        for words in [["--help"], ["serve", "--help"], ["check", "--help"], ["copy", "--help"]] {
            let text = await Sample.answer(words, width: width).output
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= width }, "\(words)")
        }
        let usage = await Sample.answer(["serve", "--nothing"], width: width).errors
        #expect(usage.split(separator: "\n")[1...].allSatisfy { $0.count <= width })
    }

    @Test func `puts a text below a label that is too wide`() {
        let wide = Parameter.option("a-name-of-very-many-letters", .path, "SOMETHING", help: "What it is.")
        let command = Command("wide", summary: "Wide.", takes: wide, Sample.live) { _ throws(CommandError) in }
        let program = Program(command)
        let text = HelpText(program, CommandPath(program.root)).text(width: 60)
        #expect(text.contains("\n      --a-name-of-very-many-letters SOMETHING\n              What it is.\n"))
    }

    @Test(
        arguments: [
            (nil, nil, 80), (nil, 120, 120), (nil, 0, 80), (nil, 20, 40), ("100", nil, 100), ("100", 120, 100),
            ("", 120, 120), ("x", 120, 120), ("0", 120, 120), ("-5", nil, 80), ("5", nil, 40),
            ("99999999999999999999", nil, 80),
        ] as [(String?, Int?, Int)])
    func `is as wide as the user or the terminal says`(_ columns: String?, _ terminal: Int?, _ width: Int) {
        #expect(TerminalWidth.width(columns: columns, terminal: terminal) == width)
    }

    @Test(
        "gives way to the version", arguments: [["--version"], ["check", "--version"], ["serve", "-l", "--version"]])
    func version(words: [String]) async {
        #expect(await Sample.answer(words) == Program.Answer(output: "1.2.3\n"))
        #expect(await Sample.answer(words, Sample.single).status == 64)
    }
}
