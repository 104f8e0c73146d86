/// The bytes of a document that is being written, in memory of their own: an array would look at each byte whether it is
/// the only owner of its own.
struct OutputBytes: ByteSink, ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0

    /// Starts empty, with room for `capacity` bytes.
    init(capacity: Int) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// Lets a function read what has been written.
    func read<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: start, count: count))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        makeRoom(1)
        start[count] = byte
        count &+= 1
    }

    mutating func append(_ run: UnsafeRawBufferPointer) {
        guard let source = run.baseAddress else { return }
        makeRoom(run.count)
        UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: run.count)
        count &+= run.count
    }

    @inline(__always)
    mutating func makeRoom(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let wider = max(capacity * 2, count + more)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: wider)
        bytes.update(from: start, count: count)
        start.deallocate()
        (start, capacity) = (bytes, wider)
    }
}
