package import BFFAPI
internal import Glibc

/// The folder of an app, read into memory.
package struct AppFolder {
    /// The reason why a folder is not served.
    package struct SettingError: Error, Equatable {
        /// A phrase for the operator, with the name of the file concerned.
        package let expected: String
    }

    /// The files by path.
    package let files: StaticFiles
    /// The served files, and the folders that they are in.
    private let entries: Set<Identity>

    private static let mostBytes = 32 << 20
    private static let mostFiles = 2_000
    private static let mostLevels = 16

    /// Reads every file below a folder; hidden ones are left out.
    ///
    /// A file with an `.br` or `.gz` sibling gets it as its compressed content.
    ///
    /// - Parameter path: The folder; it may itself be a link, as deployments switch versions by one.
    /// - Returns: The files, and which entries of the file system they are.
    /// - Throws: If the folder cannot be read, has no `index.html`, has links or other entries that are no files, or
    ///   exceeds 32 MiB, 2000 files or 16 levels.
    package static func read(_ path: String) throws(SettingError) -> AppFolder {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SettingError(expected: "expected a folder that can be read") }
        var found = Found()
        try walk(folder, "", 0, &found)
        guard found.files["/index.html"] != nil else {
            throw SettingError(expected: "expected a folder with index.html")
        }
        var files: [String: StaticFile] = [:]
        for (name, bytes) in found.files {
            let ending = name.hasSuffix(".br") || name.hasSuffix(".gz")
            if ending, found.files[String(name.dropLast(3))] != nil { continue }
            let coded = [("br", ".br"), ("gzip", ".gz")].compactMap { coding, suffix in
                found.files[name + suffix].map { (coding: coding, bytes: $0) }
            }
            files[name] = StaticFile(name: name, plain: bytes, coded: coded)
        }
        return AppFolder(files: StaticFiles(files), entries: found.entries)
    }

    /// True if a file is served, or would be once it is there and the folder is read again: by device and inode, so
    /// that no other spelling of its path and no hard link hides it.
    package func holds(_ path: String) -> Bool {
        if let entry = Identity(of: path), entries.contains(entry) { return true }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = path.utf8[(slash.map { path.utf8.index(after: $0) } ?? path.startIndex)...]
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard name.first != UInt8(ascii: "."), Identity(of: path) == nil, let entry = Identity(of: folder) else {
            return false
        }
        return entries.contains(entry)
    }

    /// One entry of the file system.
    private struct Identity: Hashable {
        let device: dev_t
        let inode: ino_t

        init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }

        /// The entry behind a path, through links; nil if there is none.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.init(status)
        }
    }

    private struct Found {
        var files: [String: [UInt8]] = [:]
        var entries: Set<Identity> = []
        var bytes = 0
    }

    /// Reads the folder behind a descriptor, which it closes.
    private static func walk(
        _ descriptor: CInt, _ path: String, _ level: Int, _ found: inout Found
    ) throws(SettingError) {
        guard let folder = fdopendir(descriptor) else {
            close(descriptor)
            throw SettingError(expected: "\(path)/ cannot be read")
        }
        defer { closedir(folder) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SettingError(expected: "\(path)/ cannot be read") }
        found.entries.insert(Identity(status))
        // rule: an app has few folders within folders
        guard level < mostLevels else {
            throw SettingError(expected: "\(path)/ is more than \(mostLevels) levels deep")
        }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // rule: hidden files are not served
            if name.hasPrefix(".") { continue }
            let place = path + "/" + name
            // rule: a name means the same in every address
            guard name.utf8.allSatisfy(isPlain) else {
                throw SettingError(expected: "\(place) has a character other than letters, digits and - . _ ~")
            }
            // O_NOFOLLOW refuses a link, which could lead out of the folder.
            let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { throw SettingError(expected: "\(place) is a link or cannot be read") }
            try take(file, place, level, &found)
        }
    }

    private static func take(
        _ file: CInt, _ place: String, _ level: Int, _ found: inout Found
    ) throws(SettingError) {
        var status = stat()
        let isKnown = fstat(file, &status) == 0
        if isKnown, status.st_mode & S_IFMT == S_IFDIR { return try walk(file, place, level + 1, &found) }
        defer { close(file) }
        guard isKnown, status.st_mode & S_IFMT == S_IFREG else {
            throw SettingError(expected: "\(place) is neither a file nor a folder")
        }
        found.entries.insert(Identity(status))
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw SettingError(expected: "\(place) cannot be read") }
            if count == 0 { break }
            bytes += buffer.prefix(count)
            found.bytes += count
            // rule: the files of an app fit into memory
            guard found.bytes <= mostBytes else { throw SettingError(expected: "the files exceed 32 MiB") }
        }
        found.files[place] = bytes
        guard found.files.count <= mostFiles else {
            throw SettingError(expected: "there are more than \(mostFiles) files")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
