internal import CHiredis

/// Turns bytes of the server into replies, by hiredis's reader.
///
/// A reply is bounded: an endless string, an array of a billion elements or a deep nesting is a `.malformed` stream, and
/// no memory is reserved for what was only announced. After an error the reader is of no more use.
final class ReplyReader {
    /// Bytes of one reply that may be kept until it is complete.
    static let replyBytes = 4 << 20
    /// Elements of one reply, those of nested arrays included.
    static let replyElements = 1 << 17

    /// The stream is not the protocol, or a reply passes a bound.
    struct Malformed: Error, Equatable {}

    private let raw: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    /// The rest of the bounds for the reply that is being read.
    private let room: UnsafeMutablePointer<ReplyRoom>

    /// Makes a reader; nil if there is no memory for it.
    init?() {
        functions = .allocate(capacity: 1)
        functions.initialize(
            to: redisReplyObjectFunctions(
                createString: { ReplyNode.string($0, $1, $2) }, createArray: { ReplyNode.array($0, $1) },
                createInteger: { ReplyNode.integer($0, $1) }, createNil: { ReplyNode.null($0) },
                freeObject: { ReplyNode.release($0) }))
        room = .allocate(capacity: 1)
        room.initialize(to: ReplyRoom())
        guard let made = redisReaderCreateWithFunctions(functions) else {
            functions.deallocate()
            room.deallocate()
            return nil
        }
        raw = made
        raw.pointee.privdata = UnsafeMutableRawPointer(room)
    }

    deinit {
        redisReaderFree(raw)
        functions.deallocate()
        room.deallocate()
    }

    /// Takes bytes of the stream.
    ///
    /// - Throws: `Malformed`.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(Malformed) {
        let code = redisReaderFeed(raw, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        guard code == REDIS_OK else { throw Malformed() }
    }

    /// The next complete reply; nil until more bytes came.
    ///
    /// - Throws: `Malformed`.
    func next() throws(Malformed) -> RedisReply? {
        var out: UnsafeMutableRawPointer?
        guard redisReaderGetReply(raw, &out) == REDIS_OK else { throw Malformed() }
        guard let out else {
            // rule: a reply that is not complete has a bound
            guard raw.pointee.len - raw.pointee.pos <= Self.replyBytes else { throw Malformed() }
            return nil
        }
        room.pointee = ReplyRoom()
        return Unmanaged<ReplyNode>.fromOpaque(out).takeRetainedValue().reply
    }
}

/// What is left of the bounds of one reply.
struct ReplyRoom {
    var bytes = ReplyReader.replyBytes
    var elements = ReplyReader.replyElements

    /// Counts one more part; false if it passes a bound.
    mutating func take(_ count: Int) -> Bool {
        bytes -= count
        elements -= 1
        return bytes >= 0 && elements >= 0
    }
}

/// A part of a reply while hiredis reads it: the root is retained by hiredis, each other one by its parent.
private final class ReplyNode {
    private typealias Task = UnsafePointer<redisReadTask>

    private var value: RedisReply
    private var children: [ReplyNode] = []

    private init(_ value: RedisReply) {
        self.value = value
    }

    /// The reply of this part and all below it; the reader bounds the depth.
    var reply: RedisReply {
        guard case .array = value else { return value }
        return .array(children.map(\.reply))
    }

    static func string(
        _ task: UnsafePointer<redisReadTask>?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int
    ) -> UnsafeMutableRawPointer? {
        guard let task, let bytes, fits(task, count) else { return nil }
        let content = Array(UnsafeRawBufferPointer(start: bytes, count: count))
        switch task.pointee.type {
        case REDIS_REPLY_ERROR: return place(.error(String(decoding: content, as: UTF8.self)), task)
        case REDIS_REPLY_STATUS: return place(.status(String(decoding: content, as: UTF8.self)), task)
        default: return place(.string(content), task)
        }
    }

    static func array(_ task: UnsafePointer<redisReadTask>?, _ count: Int32) -> UnsafeMutableRawPointer? {
        // rule: an array has no more elements than a reply may have
        guard let task, fits(task, 0), count <= ReplyReader.replyElements else { return nil }
        return place(.array([]), task)
    }

    static func integer(_ task: UnsafePointer<redisReadTask>?, _ value: Int64) -> UnsafeMutableRawPointer? {
        guard let task, fits(task, 0) else { return nil }
        return place(.integer(value), task)
    }

    static func null(_ task: UnsafePointer<redisReadTask>?) -> UnsafeMutableRawPointer? {
        guard let task, fits(task, 0) else { return nil }
        return place(.null, task)
    }

    static func release(_ object: UnsafeMutableRawPointer?) {
        guard let object else { return }
        Unmanaged<ReplyNode>.fromOpaque(object).release()
    }

    private static func fits(_ task: Task, _ count: Int) -> Bool {
        task.pointee.privdata?.assumingMemoryBound(to: ReplyRoom.self).pointee.take(count) ?? true
    }

    private static func place(_ value: RedisReply, _ task: Task) -> UnsafeMutableRawPointer? {
        let node = ReplyNode(value)
        guard let parent = task.pointee.parent?.pointee.obj else { return Unmanaged.passRetained(node).toOpaque() }
        Unmanaged<ReplyNode>.fromOpaque(parent).takeUnretainedValue().children.append(node)
        return Unmanaged.passUnretained(node).toOpaque()
    }
}
