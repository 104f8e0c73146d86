import Basics
import Glibc
import Testing

@Suite("The descriptors of the process")
struct ProcessDescriptorTests {
    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    @Test func `may be as many as its hard limit says, once that is asked for`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 100, rlim_max: 200)
            guard setrlimit(Self.files, &limit) == 0 else { exit(2) }
            guard ProcessDescriptors.limit == 100, ProcessDescriptors.hardLimit == 200 else { exit(3) }
            ProcessDescriptors.raiseLimit()
            guard getrlimit(Self.files, &limit) == 0, limit.rlim_cur == 200, limit.rlim_max == 200 else { exit(4) }
            guard ProcessDescriptors.limit == 200 else { exit(5) }
        }
    }

    @Test func `are counted while they are open`() async {
        await #expect(processExitsWith: .success) {
            // The child runs threads of the test library too, which open and close files of their own meanwhile.
            for _ in 0..<100 {
                let before = ProcessDescriptors.openCount
                let opened = (0..<5).map { _ in open("/dev/null", O_RDONLY) }
                let between = ProcessDescriptors.openCount
                for descriptor in opened { close(descriptor) }
                if before > 0, between == before + 5, ProcessDescriptors.openCount == before { exit(0) }
            }
            exit(2)
        }
    }
}
