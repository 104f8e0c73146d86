import Arguments
import Glibc

/// Reads the first line of a file with a key or a token.
enum DemoKeyFile {
    static func read(_ path: String) throws(CommandError) -> String {
        guard let file = fopen(path, "r") else {
            throw .wrongUse("The file \(path) cannot be read.")
        }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 512)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else {
            throw .wrongUse("The file \(path) is empty.")
        }
        let bytes = buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
