import Basics
import Glibc
import Testing

@Suite("The memory of the process")
struct ProcessMemoryTests {
    /// `prctl`, which has any number of arguments and so is not imported.
    private typealias ProcessControl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32

    @Test func `is kept out of core dumps and from other processes`() throws {
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        var before = rlimit()
        #expect(getrlimit(core, &before) == 0 && ProcessMemory.isReadable)
        ProcessMemory.shield()
        #expect(!ProcessMemory.isReadable)
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        #expect(getrlimit(core, &limit) == 0)
        #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
        // For the programs that later tests start; who has not the right to raise it starts them with none.
        setrlimit(core, &before)
        // PR_SET_DUMPABLE, so that a crash of a later test is told as ever.
        let control = try #require(dlsym(nil, "prctl"))
        #expect(unsafeBitCast(control, to: ProcessControl.self)(4, 1, 0, 0, 0) == 0)
    }
}
