import Testing

@testable import Arguments

@Suite("A command line that cannot be used")
struct RefusedTests {
    @Test(
        "is refused with the word that is at fault",
        arguments: [
            // Commands.
            (["chek"], "Unknown command 'chek'; did you mean 'check'?"),
            (["Check", "-ca"], "Unknown command 'Check'; did you mean 'check'?"),
            (
                ["start"],
                "Unknown command 'start'; there are check, serve, copy, trust, refuse, tell, nothing, key, completion and help."
            ),
            (
                [""],
                "Unknown command ''; there are check, serve, copy, trust, refuse, tell, nothing, key, completion and help."
            ),
            (["--", "chek"], "Unknown command 'chek'; did you mean 'check'?"),
            (["key", "nwe"], "Unknown command 'nwe'; did you mean 'new'?"),
            (["help", "srve"], "Unknown command 'srve'; did you mean 'serve'?"),
            (["help", "check", "x"], "Unknown command 'x'; there are no others."),
            // Options.
            (["check", "--conifg", "a"], "Unknown option '--conifg'; did you mean '--config'?"),
            (["check", "--conifg=a"], "Unknown option '--conifg'; did you mean '--config'?"),
            (["check", "--CONFIG", "a"], "Unknown option '--CONFIG'; did you mean '--config'?"),
            (["check", "--hepl"], "Unknown option '--hepl'; did you mean '--help'?"),
            (["check", "--verson"], "Unknown option '--verson'; did you mean '--version'?"),
            (["check", "--conf", "a"], "Unknown option '--conf'; did you mean '--config'?"),
            (["check", "--whatever"], "Unknown option '--whatever'."),
            (["check", "--help=me"], "--help takes no value, but has 'me'."),
            (["check", "--version="], "--version takes no value, but has ''."),
            (["check", "---"], "Unknown option '---'."),
            (["check", "--=a"], "Unknown option '--'."),
            (["--config", "a"], "Unknown option '--config'; it belongs to 'sample check'."),
            (["check", "--port", "1"], "Unknown option '--port'; it belongs to 'sample serve'."),
            (["check", "-x"], "Unknown option '-x'."),
            (["check", "-lx"], "Unknown option '-x' in '-lx'."),
            (["check", "-config", "a"], "Unknown option '-config'; did you mean '--config'?"),
            (["check", "-C", "a"], "Unknown option '-C'."),
            (["--version"].map { $0 + "x" }, "Unknown option '--versionx'; did you mean '--version'?"),
            (["check", "--\u{212A}onfig", "a"], "Unknown option '--\u{212A}onfig'; did you mean '--config'?"),
            // Values.
            (["check", "--config"], "--config needs a value, as in --config FILE."),
            (["check", "-c"], "-c needs a value, as in --config FILE."),
            (["check", "-lc"], "-c needs a value, as in --config FILE."),
            (["check", "--config", "--"], "--config needs a value, as in --config FILE."),
            (
                ["check", "--config", "--live"],
                "--config needs a value, as in --config FILE; one that begins with a dash is written '--config=--live'."
            ),
            (
                ["serve", "--count", "-5"],
                "--count needs a value, as in --count N; one that begins with a dash is written '--count=-5'."
            ),
            (["check", "--config="], "--config takes a path, not ''."),
            (["check", "--config", ""], "--config takes a path, not ''."),
            (["check", "-c="], "--config takes a path, not ''."),
            (["serve", "--port", ""], "--port takes a port from 0 to 65535, not ''."),
            (["serve", "--port", "65536"], "--port takes a port from 0 to 65535, not '65536'."),
            (["serve", "--port=-1"], "--port takes a port from 0 to 65535, not '-1'."),
            (["serve", "-p", "http"], "--port takes a port from 0 to 65535, not 'http'."),
            (["serve", "--count=6"], "--count takes a number from -5 to 5, not '6'."),
            (
                ["serve", "--count=99999999999999999999"],
                "--count takes a number from -5 to 5, not '99999999999999999999'."
            ),
            (["serve", "--wait", "61s"], "--wait takes a duration from 0s to 1m, not '61s'."),
            (["serve", "--wait", "5"], "--wait takes a duration from 0s to 1m, not '5'."),
            (
                ["serve", "--log-level", "warn"],
                "--log-level takes trace, debug, info, notice, warning, error or critical, not 'warn'."
            ),
            (
                ["serve", "--log-level", "eror"],
                "--log-level takes trace, debug, info, notice, warning, error or critical, not 'eror'; did you mean 'error'?"
            ),
            (["serve", "--colour", "Red"], "--colour takes red, green or blue, not 'Red'; did you mean 'red'?"),
            (
                ["serve", "--client", "a", "--client", "b c"],
                "--client takes 1 to 32 letters, digits, '_' or '-', not 'b c'."
            ),
            (["check", "--live=yes", "-ca"], "--live takes no value, but has 'yes'."),
            (["check", "--live=", "-ca"], "--live takes no value, but has ''."),
            (["check", "-l=yes", "-ca"], "--live takes no value, but has 'yes'."),
            (["check", "-c", "a", "--config=b"], "--config is given twice: 'a' and 'b'."),
            (["check", "-ca", "-ca"], "--config is given twice: 'a' and 'a'."),
            // Words without a name.
            (["check", "a"], "Unexpected 'a': 'sample check' takes only options; did you mean '--config FILE'?"),
            (["check", "-c", "a", "b"], "Unexpected 'b': 'sample check' takes only options."),
            (["check", "-ca", "--", "--live"], "Unexpected '--live': 'sample check' takes only options."),
            (["copy"], "FROM is missing; it takes a path."),
            (["copy", ""], "FROM takes a path, not ''."),
            (["copy", "a", ""], "TO takes a path, not ''."),
            (["completion"], "SHELL is missing; it takes bash, zsh or fish."),
            (["completion", "tcsh"], "SHELL takes bash, zsh or fish, not 'tcsh'."),
            (["completion", "Bash"], "SHELL takes bash, zsh or fish, not 'Bash'; did you mean 'bash'?"),
            (["completion", "bash", "zsh"], "Unexpected 'zsh': 'sample completion' takes no more words."),
            // The whole.
            (["trust"], "--issuer URL is missing."),
            (["check"], "Give either --config FILE or --ready URL."),
            (["check", "-ca", "--ready", "x"], "Give either --config FILE or --ready URL, not both."),
            (["check", "--live"], "Give either --config FILE or --ready URL."),
            (["check", "--live", "--ready", "x"], "--live needs --config FILE."),
        ])
    func refused(words: [String], message: String) async {
        let answer = await Sample.answer(words)
        #expect(answer.status == 64 && answer.output.isEmpty)
        #expect(answer.errors.split(separator: "\n").first.map(String.init) == "Error: " + message)
        #expect(answer.errors.contains("\nUsage: sample") && answer.errors.hasSuffix(" --help'.\n"))
    }

    @Test(
        "keeps the terminal of who reads the message",
        arguments: [
            ("\u{1B}[2J", #"'\u{1b}[2J'"#), ("a\nb", #"'a\u{a}b'"#), ("\u{202E}x", #"'\u{202e}x'"#),
            ("\u{9B}", #"'\u{9b}'"#),
            ("it's", "'it's'"), (String(repeating: "é", count: 101), "'" + String(repeating: "é", count: 100) + "…'"),
        ])
    func quoted(word: String, text: String) async {
        #expect(Word.quoted(word) == text)
        #expect(await Sample.told([word]).hasPrefix("Unknown command \(text)"))
    }

    @Test(
        "is one with bytes that are no UTF-8",
        arguments: [
            [0xFF], [0x2D, 0x2D, 0x63, 0x3D, 0x61, 0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80],
        ] as [[UInt8]])
    func bytes(word: [UInt8]) async {
        let broken = (word + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { Word(cString: $0) }
        }
        let words = [.text("check"), broken, .text("--help")].compactMap { $0 }
        let answer = await Sample.program.answer(to: words, width: 80)
        #expect(words.count == 3 && answer.status == 64 && answer.output.isEmpty)
        #expect(answer.errors.hasPrefix("Error: Argument 2, '") && answer.errors.contains("', is not UTF-8.\n"))
    }

    @Test func `may have many words and long ones`() async {
        let long = String(repeating: "x", count: 100_000)
        #expect(await Sample.told(["check", "-c" + long]) == "\(long) - false")
        #expect(await Sample.told(["copy"] + Array(repeating: "a", count: 10_000)).utf8.count > 30_000)
        #expect(await Sample.told(["check", "-" + String(repeating: "l", count: 10_000) + "ca"]) == "a - true")
        #expect(await Sample.told(["--" + long]).utf8.count < 200)
    }
}
