import Testing

@testable import Arguments

@Suite("What a command line gives to a command")
struct AcceptedTests {
    @Test(
        "is the value of every form of an option",
        arguments: [
            (["check", "--config", "a"], "a - false"), (["check", "--config=a"], "a - false"),
            (["check", "-c", "a"], "a - false"), (["check", "-ca"], "a - false"), (["check", "-c=a"], "a - false"),
            (["check", "--config=a=b"], "a=b - false"), (["check", "-ca=b"], "a=b - false"),
            (["check", "--config", "a b"], "a b - false"), (["check", "--config", "-"], "- - false"),
            (["check", "--config=-x"], "-x - false"), (["check", "--config=--live"], "--live - false"),
            (["check", "-c--live"], "--live - false"), (["check", "--config", "check"], "check - false"),
            (["check", "--live", "--config", "a"], "a - true"), (["check", "-lca"], "a - true"),
            (["check", "-lc", "a"], "a - true"), (["check", "-c", "a", "-l"], "a - true"),
            (["check", "-l", "-l", "--live", "-ca"], "a - true"), (["check", "--ready", "x"], "- x false"),
            (["check", "--config", "ünï ☃"], "ünï ☃ - false"), (["check", "-c", "a", "--"], "a - false"),
        ])
    func options(words: [String], told: String) async {
        #expect(await Sample.told(words) == told)
    }

    @Test(
        "has the type that the command wants, or its default",
        arguments: [
            (["serve"], "8080 0 5s warning -  false false"),
            (["serve", "--port", "0", "--count=-5", "--wait", "1m"], "0 -5 1m warning -  false false"),
            (["serve", "-p65535", "--log-level", "trace"], "65535 0 5s trace -  false false"),
            (["serve", "--colour=green", "-vl"], "8080 0 5s warning green  true true"),
            (
                ["serve", "--client", "a", "-Cb", "--client=c", "-C", "a"],
                "8080 0 5s warning - a+b+c+a false false"
            ),
            (["trust", "--issuer", "x"], "x"),
        ])
    func values(words: [String], told: String) async {
        #expect(await Sample.told(words) == told)
    }

    @Test(
        "may have words without a name, also behind --",
        arguments: [
            (["copy", "a"], "a >  false"), (["copy", "a", "b", "c"], "a > b > c false"),
            (["copy", "--live", "a", "b"], "a > b true"), (["copy", "a", "b", "--live"], "a > b true"),
            (["copy", "--", "--live", "-x"], "--live > -x false"),
            (["copy", "--live", "--", "a", "--"], "a > -- true"),
            (["copy", "-"], "- >  false"), (["copy", "--", "--help"], "--help >  false"),
        ])
    func operands(words: [String], told: String) async {
        #expect(await Sample.told(words) == told)
    }

    @Test func `can belong to a command below a command, or to the program itself`() async {
        #expect(await Sample.told(["key", "new", "-Ca"]) == "new [\"a\"]")
        #expect(await Sample.told(["-l", "x"], Sample.single) == "x true")
        #expect(await Sample.told(["help"], Sample.single) == "help false")
    }

    @Test func `decides the status`() async {
        #expect(await Sample.answer(["nothing"]) == Program.Answer())
        #expect(await Sample.answer(["tell"]) == Program.Answer(status: 1))
        #expect(await Sample.answer(["copy", "a"]) == Program.Answer(status: 1, errors: "Error: a >  false\n"))
        let refused = await Sample.answer(["refuse"])
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(refused.errors == "Error: That will not do.\nUsage: sample refuse\nSee 'sample refuse --help'.\n")
    }
}
