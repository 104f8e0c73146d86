internal import BFF
internal import Basics
internal import SettingsKit
internal import StorageKit

/// The content of the section `session`.
struct SessionPart {
    var sessions = BFFSettings()
    var store = StoreSettings.memory
    /// The server keys; nil when there are none, which was reported.
    var keys: ServerKeys?
}

extension SettingsReader {
    func readSession(_ section: Section) -> SessionPart {
        var part = SessionPart()
        section.read("idle", .duration(.seconds(60) ... .seconds(86_400)), into: &part.sessions.idle)
        section.read("absolute", .duration(.seconds(60) ... .seconds(30 * 86_400)), into: &part.sessions.absolute)
        if part.sessions.idle > part.sessions.absolute {
            let most = ValueForm<Duration>.text(part.sessions.absolute)
            context.report(section.key("idle"), "expected no more than session.absolute, \(most)")
        }
        section.read("revocations", .duration(.seconds(60) ... .seconds(7 * 86_400)), into: &part.sessions.revocations)
        readShortLives(section, &part.sessions)
        section.read("flowsPerInstance", .number(1...50), into: &part.sessions.flowsPerInstance)
        section.read("accounts", .number(1...64), into: &part.sessions.accounts)
        part.sessions.endingRequirement = section.value("endRequirement", .text("the name of a requirement"))
        readDevices(section, &part.sessions)
        section.read("anonymousSessions", .number(BFFSettings.anonymousRange), into: &part.sessions.anonymousSessions)
        section.read("store", storeForm(section), into: &part.store)
        readRedis(section, &part.store)
        checkFolder(section, part.store)
        part.keys = readKeys(section, part.store)
        section.later("localCache")
        section.finish()
        return part
    }

    /// Reads the binding of sessions to devices; the life of its cookie counts only where it is on.
    private func readDevices(_ section: Section, _ sessions: inout BFFSettings) {
        let isOffered = section.value("deviceBinding", .choice(["off": false, "offer": true])) ?? false
        let life = section.value("deviceCookie", .duration(BFFSettings.deviceCookieRange))
        if isOffered { sessions.deviceCookie = life ?? .seconds(300) }
    }

    /// Reads the life times of sessions without a sign-in and of flows; neither exceeds that of a session.
    private func readShortLives(_ section: Section, _ sessions: inout BFFSettings) {
        let form = ValueForm<Duration>.text(sessions.absolute)
        for (name, most, path) in [
            ("anonymous", 86_400, \BFFSettings.anonymous), ("flow", 3600, \BFFSettings.flow),
        ] {
            section.read(name, .duration(.seconds(60) ... .seconds(most)), into: &sessions[keyPath: path])
            guard sessions[keyPath: path] > sessions.absolute else { continue }
            if section.contains(name) {
                context.report(section.key(name), "expected no more than session.absolute, \(form)")
            }
            sessions[keyPath: path] = sessions.absolute
        }
    }

    /// Requires the directory of the store's file, which the store does not create, and a file in place of a directory.
    private func checkFolder(_ section: Section, _ store: StoreSettings) {
        guard case .sqlite(let path) = store else { return }
        context.note(section.key("store"), file: path)
        let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
        // rule: the directory of the store is there
        guard context.files.isFolder(folder.isEmpty ? "/" : String(folder)) else {
            context.report(section.key("store"), "the directory does not exist: \(folder)")
            return
        }
        // rule: the store is no directory
        guard context.files.isFolder(path) else { return }
        context.report(section.key("store"), "expected a file, not a directory: \(path)")
    }

    private func readKeys(_ section: Section, _ store: StoreSettings) -> ServerKeys? {
        let entries = section.entries("keys")
        if let ownKeys { return given(ownKeys, section) }
        let keys = (entries ?? []).map { readKey($0) }
        guard let entries, !entries.isEmpty else {
            if case .memory = store, let ephemeralKeys, entries == nil { return ephemeralKeys }
            if !context.isReported(section.key("keys")) {
                context.report(
                    section.key("keys"),
                    "expected a key for sessions that outlive the process; 'cloakroom keygen' makes one")
            }
            return nil
        }
        do {
            return try ServerKeys(keys.compactMap { $0 })
        } catch .duplicateID(let id) {
            context.report(section.key("keys"), "the id '\(id)' is there twice")
        } catch {
            // Keys that cannot be read were reported one by one.
        }
        return nil
    }

    /// The keys that the program provides; a failure of its source is reported.
    private func given(_ keys: Result<ServerKeys, any Error>, _ section: Section) -> ServerKeys? {
        if section.contains("keys") {
            context.report(section.key("keys"), "is not asked for: the program brings the keys")
        }
        do { return try keys.get() } catch {
            context.report(section.key("keys"), line: section.line, "the program's source gave no keys: \(error)")
            return nil
        }
    }

    private func readKey(_ entry: Section) -> ServerKey? {
        let id = entry.value("id", .name)
        let path = entry.value("file", .text("the path of a key file"))
        let inline = entry.value("key", .text("a key as 'cloakroom keygen' prints it", bytes: 1...256))
        entry.finish()
        if let raw = entry.rawText("key"), context.isPublic, raw.firstRange(ofText: "${") == nil {
            context.refuseExposedSecret(
                entry.key("key"), line: entry.line, "is a secret in a file that others may read; use file or chmod 600")
        }
        guard entry.contains("file") != entry.contains("key") else {
            if entry.exists { context.report(entry.path, line: entry.line, "expected either file or key") }
            return nil
        }
        guard let line = inline ?? path.flatMap({ entry.content(of: $0, "file")?.reveal() }) else { return nil }
        return parseKey(line, id: id, entry)
    }

    /// Parses a key with its id in front, as it was generated, or a key alone when the settings have the id.
    private func parseKey(_ line: String, id: String?, _ entry: Section) -> ServerKey? {
        let key = entry.key(entry.contains("file") ? "file" : "key")
        do throws(ServerKeyError) {
            if line.contains(" ") {
                let made = try ServerKey(line: line)
                guard let id, id != made.id else { return made }
                context.report(
                    entry.key("id"), line: entry.line, "expected '\(made.id)', the id that the key was made with")
                return nil
            }
            guard let id else {
                if !entry.contains("id") { context.report(entry.path, line: entry.line, "expected an id for this key") }
                return nil
            }
            guard let bytes = Base64URL.decode(line) else { throw .malformedKey }
            return try ServerKey(id: id, key: bytes)
        } catch {
            let message = error == .weakKey ? "is no random key" : "is no key; 'cloakroom keygen' makes one"
            context.report(key, message)
            return nil
        }
    }
}
