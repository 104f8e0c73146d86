internal import BFFAPI
internal import Basics
internal import HTTPCore
internal import SettingsKit

extension SettingsReader {
    /// Reads the files of the app; they are read again with the settings, and not in between.
    func readFiles(_ section: Section) -> AppFolder? {
        guard let path = section.value("files", .text("a folder")) else { return nil }
        do throws(AppFolder.SettingError) {
            return try AppFolder.read(context.files.path(path))
        } catch {
            context.report(section.key("files"), error.expected)
            return nil
        }
    }

    /// Reads the origins that the pages of the app may use besides their own.
    func readPageSources(_ server: Section, _ sources: inout PageSources) {
        let section = server.section("contentSecurityPolicy")
        let origin = ValueForm.text("an origin like https://www.example.com")
        sources.scripts = section.list("scriptSrc", origin) ?? []
        sources.styles = section.list("styleSrc", origin) ?? []
        sources.calls = section.list("connectSrc", origin) ?? []
        sources.frames = section.list("frameSrc", origin) ?? []
        section.read("wasm", .flag, into: &sources.allowsWebAssembly)
        section.finish()
        // rule: a policy is of files
        if section.exists, !server.contains("files") {
            context.report(section.path, "is for the files of an app; server.files names none")
        }
    }

    /// Reads what the documents about passkeys say.
    func readPasskeys(_ server: Section, _ passkeys: inout PasskeySettings) {
        let credentials = server.section("webAuthn")
        passkeys.relatedOrigins =
            credentials.list("relatedOrigins", .text("an origin like https://www.example.net")) ?? []
        credentials.finish()
        let pages = server.section("passkeyEndpoints")
        let page = ValueForm<WebURL>.address("an address like https://app.example.com/passkeys")
        passkeys.enroll = pages.value("enroll", page)
        passkeys.manage = pages.value("manage", page)
        pages.finish()
    }

    /// Refuses an app whose folder has the settings file, a file that the settings name, or the store: everyone could
    /// download it.
    func checkSecretsAreApart(_ app: AppFolder) {
        // rule: the settings file is not served
        if app.holds(context.file) {
            context.report("server.files", "the folder has the settings file; give the app a folder of its own")
        }
        for (key, path) in context.namedFiles {
            // rule: no file that the settings name is served
            if app.holds(path) {
                context.report("server.files", "the folder has the file of \(key); give the app a folder of its own")
            }
        }
    }
}
