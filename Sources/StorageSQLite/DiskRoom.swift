#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// What a disk has left.
enum DiskRoom {
    /// Fewer bytes than these are none: a journal and its index are longer.
    private static let least: UInt64 = 64 << 10

    /// True if the disk on which a file lies, or would lie, takes no more bytes or files of this user; false where it is not
    /// known.
    static func isUsedUp(at path: String) -> Bool {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        var room = statvfs()
        return statvfs(directory, &room) == 0 && isUsedUp(room)
    }

    /// True if so little is left as the system's figures say; a file system that has no size is never used up.
    static func isUsedUp(_ room: statvfs) -> Bool {
        guard room.f_blocks > 0 else { return false }
        let bytes = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return (!bytes.overflow && bytes.partialValue < least) || (room.f_files > 0 && room.f_favail == 0)
    }
}
