import Basics
import Foundation
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("The command cloakroom", .timeLimit(.minutes(3)))
struct CommandTests {
    private func withDirectory(_ body: (ScratchDirectory) async throws -> Void) async throws {
        let directory = try ScratchDirectory()
        try await body(directory)
        directory.remove()
    }

    @Test func `makes a key that the settings take, for its owner alone`() async throws {
        try await withDirectory { directory in
            let made = try await Command.run("keygen", "--id", "k7", "--out", directory.path("session.key"))
            #expect(made.status == 0 && made.output == directory.path("session.key") + "\n")
            #expect(try directory.mode(of: "session.key") == 0o600)
            let line = try String(contentsOfFile: directory.path("session.key"), encoding: .utf8)
            #expect(try ServerKey(line: line).id == "k7")
            #expect(!made.output.contains(line.dropFirst(3).prefix(10)))
        }
    }

    @Test func `never overwrites a key`() async throws {
        try await withDirectory { directory in
            try directory.write("precious", to: "session.key")
            let refused = try await Command.run("keygen", "--out", directory.path("session.key"))
            #expect(refused.status == 1 && refused.errors.contains("exists"))
            #expect(try String(contentsOfFile: directory.path("session.key"), encoding: .utf8) == "precious")
            let nowhere = try await Command.run("keygen", "--out", directory.path("no/session.key"))
            #expect(nowhere.status == 1 && nowhere.errors.contains("cannot be made"))
        }
    }

    @Test func `prints a key with an id of its own`() async throws {
        let printed = try await Command.run("keygen")
        #expect(try ServerKey(line: printed.output).id.hasPrefix("k20"))
        #expect(try await Command.run("keygen").output != printed.output)
        #expect(try await Command.run("keygen", "--id", "a b").status == 64)
    }

    @Test func `tells all problems of a file on standard error`() async throws {
        try await withDirectory { directory in
            let path = try directory.write("server: { listen: here }\nclients: {}\n", to: "bad.yaml")
            let checked = try await Command.run("check", "--config", path)
            #expect(checked.status == 1 && checked.output.isEmpty)
            #expect(checked.errors.split(separator: "\n").count == 3)
            #expect(checked.errors.contains("\(path):2: clients: expected at least one client"))
            let served = try await Command.run("serve", "--config", path)
            #expect(served.status == 1 && served.errors == checked.errors)
        }
    }

    @Test func `finds no problem in a good file`() async throws {
        try await withDirectory { directory in
            let path = try directory.write(SettingsText.good, to: "good.yaml")
            let checked = try await Command.run("check", "--config", path, environment: ["SECRET": "s3cret"])
            let address = "clients.standard: returns to https://app.example.com/bff/standard/return\n"
            #expect(
                checked.status == 0 && checked.output == address + "\(path): no problems\n" && checked.errors.isEmpty)
            #expect(try await Command.run("check", "--config", path).errors.contains("SECRET is not set"))
        }
    }

    @Test func `says which requests of DaVinci the listener cuts off`() async throws {
        try await withDirectory { directory in
            let text = DaVinciSettingsTests.good.replacingOccurrences(
                of: "type: davinci", with: "type: davinci\n    timeout: 2m")
            let path = try directory.write(text, to: "slow.yaml")
            let said = try await Command.run("check", "--config", path).output
            #expect(said.contains("clients.workforce.timeout: server.limits.requestTime ends start"))
            let patient = try directory.write(
                text.replacingOccurrences(
                    of: "trustedPeers: []", with: "trustedPeers: [], limits: { requestTime: 3m }"),
                to: "patient.yaml")
            #expect(try await Command.run("check", "--config", patient).output.contains("requestTime") == false)
            // What is not in the file is not named as if it were.
            let hasty = try directory.write(
                DaVinciSettingsTests.good.replacingOccurrences(
                    of: "trustedPeers: []", with: "trustedPeers: [], limits: { requestTime: 30s }"),
                to: "hasty.yaml")
            let found = try await Command.run("check", "--config", hasty).output
            #expect(found.contains("server.limits.requestTime: it ends start, renewals and user after 30 s"))
            #expect(found.contains("at clients.workforce, which waits 30 s") && !found.contains("workforce.timeout"))
        }
    }

    @Test func `says of several keys which one seals`() async throws {
        try await withDirectory { directory in
            for id in ["old", "new"] {
                #expect(try await Command.run("keygen", "--id", id, "--out", directory.path("\(id).key")).status == 0)
            }
            let session = "session: { keys: [{ file: new.key }, { file: old.key }] }\n"
            let path = try directory.write(session + SettingsText.good, to: "good.yaml")
            let checked = try await Command.run("check", "--config", path, environment: ["SECRET": "s3cret"])
            #expect(checked.output.hasPrefix("session.keys: new seals, old only opens\n"))
        }
    }

    @Test func `says how it is used`() async throws {
        for arguments in [["--help"], ["serve", "--help"], ["check", "--help"], ["keygen", "--help"]] {
            let help = try await Command.run(arguments)
            #expect(help.status == 0 && help.output.contains("USAGE"))
        }
        #expect(try await Command.run("version").output == Command.run("--version").output)
        for arguments in [["serve"], ["check"], ["check", "--live"], ["check", "--ready", "x"], ["start"]] {
            #expect(try await Command.run(arguments).status == 64, "\(arguments)")
        }
        #expect(try await Command.run("check", "--config", "a", "--ready", "http://127.0.0.1/").status == 64)
    }

    @Test func `names the word at fault and what was probably meant`() async throws {
        let misspelt = try await Command.run("chekc", "--config", "a")
        #expect(misspelt.status == 64 && misspelt.output.isEmpty)
        #expect(misspelt.errors.hasPrefix("Error: Unknown command 'chekc'; did you mean 'check'?\nUsage: cloakroom "))
        let option = try await Command.run("check", "--conifg", "a")
        #expect(
            option.status == 64
                && option.errors.hasPrefix("Error: Unknown option '--conifg'; did you mean '--config'?\n"))
        let address = try await Command.run("check", "--ready", "x")
        #expect(address.errors.contains("not 'x'.\n"))
        let id = try await Command.run("keygen", "--id", "a b")
        #expect(id.errors.hasPrefix("Error: --id takes 1 to 32 letters, digits, '_' or '-', not 'a b'.\n"))
    }

    @Test func `helps within the width that is asked for, and the shell too`() async throws {
        for arguments in [[], ["help"], ["help", "serve"], ["check", "--help"]] {
            let help = try await Command.run(arguments, environment: ["COLUMNS": "50"])
            #expect(help.status == 0 && help.errors.isEmpty && help.output.contains("USAGE"))
        }
        let narrow = try await Command.run(["help", "check"], environment: ["COLUMNS": "50"]).output
        #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 50 })
        let usual = try await Command.run("help", "check").output
        #expect(usual.split(separator: "\n").contains { $0.count > 50 })
        let script = try await Command.run("completion", "bash")
        #expect(script.status == 0 && script.output.hasSuffix("\ncomplete -F _cloakroom cloakroom\n"))
    }

    @Test("asks a server whether it is ready", arguments: [(200, Int32(0)), (503, 1), (404, 1), (302, 1)])
    func ready(status: Int, exit: Int32) async throws {
        let listener = try Listener(ListenerSettings(), logger: RecordedLog().logger("listener")) { request in
            ServerResponse(status: request.path == "/readyz" ? status : 200, headers: [], body: .none)
        }
        try listener.start()
        for path in ["/readyz", "", "/"] {
            let answer = try await Command.run("check", "--ready", "http://127.0.0.1:\(listener.port)\(path)")
            #expect(answer.status == exit)
            #expect(answer.errors.contains("is this the address of server.admin?") == (status == 404))
        }
        await listener.stop(grace: .seconds(1))
        let gone = try await Command.run("check", "--ready", "http://127.0.0.1:\(listener.port)")
        #expect(gone.status == 1 && gone.errors == "not ready: no answer\n")
    }

    @Test func `serves, is ready, keeps good settings when new ones are bad, and stops when told to`() async throws {
        try await withDirectory { directory in
            let good = """
                server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", publicUrl: https://app.example.com, trustedPeers: [] }
                session: { store: "sqlite:sessions.db", keys: [{ file: session.key }] }
                log: { level: info, format: json }

                """ + SettingsText.good.split(separator: "\n").dropFirst().joined(separator: "\n")
            let path = try directory.write(good, to: "cloakroom.yaml")
            #expect(try await Command.run("keygen", "--out", directory.path("session.key")).status == 0)
            let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
            let listening = try #require(await server.line { $0["message"]?.string == "Listening" })
            let admin = try #require(listening["admin.port"]?.string)
            #expect(try await Command.run("check", "--ready", "http://127.0.0.1:\(admin)").status == 0)
            #expect(try directory.mode(of: "sessions.db") == 0o600)
            #expect(try server.limits().contains(#/Max core file size +0 +0 /#), "its memory is shielded")

            try directory.write("server: []", to: "cloakroom.yaml")
            server.signal(SIGHUP)
            let refused = try #require(await server.line { $0["level"]?.string == "error" })
            #expect(refused["message"]?.string == "Settings not reloaded")
            #expect(refused["problem"]?.string?.hasPrefix("\(path):1: ") ?? false)
            try directory.write(good + "\noutbound: { connections: 7 }\n", to: "cloakroom.yaml")
            server.signal(SIGHUP)
            #expect(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
            let warned = try #require(await server.line { $0["level"]?.string == "warning" })
            #expect(warned["message"]?.string == "A changed setting takes a restart")
            #expect(warned["setting"]?.string == "outbound")
            #expect(try await Command.run("check", "--ready", "http://127.0.0.1:\(admin)/readyz").status == 0)

            server.signal(SIGTERM)
            #expect(await server.line { $0["message"]?.string == "Stopped" } != nil)
            #expect(await server.status() == 0)
            #expect(try await Command.run("check", "--ready", "http://127.0.0.1:\(admin)").status == 1)
        }
    }

    @Test("drains at a signal and says what it waits for; a second one ends it at once", arguments: [SIGTERM, SIGINT])
    func secondSignal(number: Int32) async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing("server: {", "server: { listen: \"127.0.0.1:0\", drain: 5m,")
            let path = try directory.write("log: { format: json }\n" + text, to: "cloakroom.yaml")
            let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
            let listening = try #require(await server.line { $0["message"]?.string == "Listening" })
            let client = try RawClient(port: try #require(UInt16(listening["port"]?.string ?? "")))
            let head = "POST /bff/standard/start HTTP/1.1\r\nHost: app.example.com\r\nX-CSRF: 1\r\n"
            try await client.send(head + "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            // The server asks for the body, which never comes: the request stays under way.
            #expect(String(decoding: try await client.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
            server.signal(number)
            let draining = try #require(await server.line { $0["message"]?.string?.hasPrefix("Draining") == true })
            #expect(draining["signal"]?.string == (number == SIGINT ? "SIGINT" : "SIGTERM"))
            #expect(draining["level"]?.string == "notice" && draining["requests"]?.string == "1")
            server.signal(SIGTERM)
            let ended = try #require(await server.line { $0["message"]?.string?.hasPrefix("A second signal") == true })
            #expect(ended["requests"]?.string == "1" && ended["level"]?.string == "warning")
            #expect(await server.status() == 128 + SIGTERM)
        }
    }

    @Test func `follows the level of its log when it reads its settings again`() async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing("server: {", "server: { listen: \"127.0.0.1:0\",")
            let path = try directory.write("log: { format: json, level: warning }\n" + text, to: "cloakroom.yaml")
            let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
            // Audit lines come whatever the level is.
            #expect(await server.line { $0["outcome"]?.string == "started" } != nil)
            try directory.write("log: { format: json, level: info }\n" + text, to: "cloakroom.yaml")
            server.signal(SIGHUP)
            #expect(await server.line { $0["outcome"]?.string == "reloaded" } != nil)
            server.signal(SIGTERM)
            // Nil at the end of a server that stayed at its level.
            #expect(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
            #expect(await server.line { $0["message"]?.string == "Stopped" } != nil)
            #expect(await server.status() == 0)
        }
    }

    @Test func `loses no signal that comes as soon as it listens`() async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing("server: {", "server: { listen: \"127.0.0.1:0\",")
            let path = try directory.write("log: { format: json }\n" + text, to: "cloakroom.yaml")
            // Many times, because a race shows now and then only.
            for _ in 0..<20 {
                let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
                #expect(await server.line { $0["message"]?.string == "Listening" } != nil)
                server.signal(SIGHUP)
                try #require(await server.line { $0["message"]?.string == "Settings reloaded" } != nil)
                server.signal(SIGTERM)
                #expect(await server.status() == 0)
            }
        }
    }

    @Test func `is ended by the test that waits for a line in vain`() async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing("server: {", "server: { listen: \"127.0.0.1:0\",")
            let path = try directory.write("log: { format: json }\n" + text, to: "cloakroom.yaml")
            let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
            #expect(await server.line { $0["message"]?.string == "Listening" } != nil)
            let waiting = Task { await server.line { _ in false } }
            waiting.cancel()
            #expect(await waiting.value == nil)
            #expect(await server.status() == SIGKILL)
        }
    }

    @Test func `goes on when whoever reads its log ends`() async throws {
        try await withDirectory { directory in
            let text = SettingsText.replacing(
                "server: {", "server: { admin: \"127.0.0.1:0\", listen: \"127.0.0.1:0\",")
            let path = try directory.write("log: { format: json }\n" + text, to: "cloakroom.yaml")
            let server = try Command.start(["serve", "--config", path], environment: ["SECRET": "s3cret"])
            #expect(await server.line { $0["message"]?.string == "Listening" } != nil)
            try server.errors.close()
            // It logs that it has stopped; a broken pipe must not be what stops it.
            server.signal(SIGTERM)
            #expect(await server.status() == 0)
        }
    }

    @Test func `that cannot listen says why`() async throws {
        try await withDirectory { directory in
            let listener = try Listener(ListenerSettings(), logger: RecordedLog().logger("listener")) { _ in
                ServerResponse(status: 200, headers: [], body: .none)
            }
            try listener.start()
            let text = SettingsText.replacing(
                "server: {", "server: { admin: \"127.0.0.1:\(listener.port)\", listen: \"127.0.0.1:0\",")
            let path = try directory.write(text, to: "cloakroom.yaml")
            let served = try await Command.run("serve", "--config", path, environment: ["SECRET": "s3cret"])
            #expect(
                served.status == 1
                    && served.errors.contains("server.admin: cannot listen on 127.0.0.1:\(listener.port)"))
            await listener.stop(grace: .seconds(1))
        }
    }
}
