internal import BFF
internal import Basics
internal import HTTPCore
internal import SettingsKit

extension SettingsReader {
    /// Reads the pages for returning users, `returnTargets`; the first is for flows that name none.
    func readReturnTargets(_ section: Section) -> [ReturnSettings.Target] {
        guard section.contains("returnTargets") else { return ReturnSettings().targets }
        let form = ValueForm(expected: "a path of the public origin like /signed-in, without a fragment") { text in
            Self.isTargetPath(text) ? text : nil
        }
        let key = section.key("returnTargets")
        let pairs = section.pairs("returnTargets", form)
        for pair in pairs where !pair.name.isName {
            context.report(key, "expected names of \(ValueForm<String>.name.expected)")
        }
        if section.names(in: "returnTargets").isEmpty, !context.isReported(key) {
            context.report(key, "expected at least one name with a path")
        }
        return pairs.map { ReturnSettings.Target(name: $0.name, path: $0.value) }
    }

    /// True for a path that no browser reads as an address of another site (URL Standard, 'special authority slashes
    /// state').
    private static func isTargetPath(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard 1...1024 ~= bytes.count, bytes[0] == UInt8(ascii: "/"), bytes.dropFirst().first != UInt8(ascii: "/")
        else {
            return false
        }
        return bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "#") }
    }
}
