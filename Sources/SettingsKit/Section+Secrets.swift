package import Basics

extension Section {
    private static let longestSecret = 4096

    /// A secret, from the key itself or from the file that the key with the suffix `File` names.
    ///
    /// - Returns: nil when there is none, or when it cannot be read, which is reported.
    package func secret(_ name: String) -> Secret<String>? {
        let fileName = name + "File"
        if contains(name), contains(fileName) {
            context.report(key(fileName), line: line(of: fileName), "expected either \(name) or \(fileName)")
        }
        let form = ValueForm.text("a secret of one line", bytes: 1...Self.longestSecret)
        if let raw = rawText(name), context.isPublic, raw.firstRange(ofText: "${") == nil {
            let message = "is a secret in a file that others may read; use \(fileName) or chmod 600"
            context.refuseExposedSecret(key(name), line: line(of: name), message)
        }
        let inline = value(name, form)
        let path = value(fileName, .text("the path of a file"))
        return inline.map { Secret($0) } ?? path.flatMap { content(of: $0, fileName) }
    }

    /// The single line of a file, without its line break; nil when it cannot be read, which is reported.
    package func content(of path: String, _ name: String) -> Secret<String>? {
        let line = line(of: name)
        let path = context.files.path(path)
        context.note(key(name), file: path)
        let content: SettingsFiles.Content
        do throws(SettingsFiles.FileError) {
            content = try context.files.read(path, limit: Self.longestSecret)
        } catch {
            context.report(key(name), line: line, error.message(limit: "4KiB"))
            return nil
        }
        if content.isExposed {
            context.refuseExposedSecret(key(name), line: line, "others may read or change the file; chmod 600")
        }
        var text = String(validating: content.bytes, as: UTF8.self)
        if text?.hasSuffix("\r\n") ?? false {
            text?.removeLast()
        } else if text?.hasSuffix("\n") ?? false {
            text?.removeLast()
        }
        guard let text, ValueForm.text("", bytes: 1...Self.longestSecret).parse(text) != nil else {
            context.report(key(name), line: line, "the file does not have one line of text")
            return nil
        }
        return Secret(text)
    }
}
