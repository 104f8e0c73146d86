internal import Cryptography

/// The commands of one connection in their order: those that wait, and those whose answers are due.
///
/// Answers come in the order of the commands, so the first one belongs to the oldest command that was sent. The server
/// answers only in this order, so one answer too many would give each later command the answer of the one before. An `ECHO`
/// of a mark follows each command therefore, and an answer counts once its own mark came.
///
/// A state machine without I/O: the connection asks for output, says how much of it the system took, and hands over answers.
struct Pipeline<Call> {
    /// The bounds of a pipeline.
    struct Limits {
        /// Commands that wait or whose answers are due.
        var commands = 4_096
        /// Bytes of those commands.
        var bytes = 64 << 20
        /// Commands that are sent before an answer came.
        var window = 1_024
        /// How often a command is sent that the server may do twice.
        var attempts = 2
    }

    /// One command that waits, or whose answer is due.
    struct Entry {
        var command: RedisCommand
        let deadline: ContinuousClock.Instant
        /// True if sending it twice does no harm.
        let isRepeatable: Bool
        /// True if `ASKING` goes before it, which lets a node do it that is about to get the slot of the key.
        let isAsking: Bool
        let call: Call
        fileprivate(set) var attempts = 0
        /// The number of bytes of the connection up to the end of the command.
        fileprivate var end = 0
        /// True if an older command is due later.
        fileprivate var isEarly = false
        /// The text that the server sends back after the answer.
        fileprivate var mark: [UInt8] = []

        init(
            _ command: RedisCommand, deadline: ContinuousClock.Instant, isRepeatable: Bool, isAsking: Bool = false,
            call: Call
        ) {
            self.command = command
            self.deadline = deadline
            self.isRepeatable = isRepeatable
            self.isAsking = isAsking
            self.call = call
        }
    }

    /// An answer of the server, looked at beside the command that it is due for.
    enum Answer {
        /// The mark of the command is still due.
        case partial
        case complete(Entry, RedisReply)
        /// The server refused the command and its mark alike.
        case refused(Entry, RedisReply)
        /// The server did the command and does not let the user have its mark.
        case unmarked(Entry)
        /// The answer belongs to no command.
        case stray
    }

    private let limits: Limits
    private var held: RedisReply?
    /// True once the answer to the `ASKING` of the first command came.
    private var isAsked = false
    private var nonce = ""
    private var number = 0
    private var waiting = Fifo<Entry>()
    private var sent = Fifo<Entry>()
    private var bytes = 0
    private var taken = 0
    /// The latest deadline of the commands since there was none.
    private var latest = ContinuousClock.now
    /// The number of commands that are due before an older one.
    private var early = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    var isEmpty: Bool { waiting.count + sent.count == 0 }
    /// True if no answer is due.
    var isAnswered: Bool { sent.count == 0 }
    /// The first deadline of the commands whose answers are due.
    var sentDeadline: ContinuousClock.Instant? { deadline(sent) }
    /// The first deadline of the commands that wait.
    var waitingDeadline: ContinuousClock.Instant? { deadline(waiting) }

    private func deadline(_ queue: Fifo<Entry>) -> ContinuousClock.Instant? {
        // rule: the first deadline counts, wherever its command stands | queue.first?.deadline
        return early > 0 ? queue.all.lazy.map(\.deadline).min() : queue.first?.deadline
    }

    /// Adds a command; false if a bound is reached.
    mutating func add(_ entry: Entry) -> Bool {
        // rule: the commands of a connection have a bound
        guard waiting.count + sent.count < limits.commands, bytes + entry.command.byteCount <= limits.bytes else {
            return false
        }
        if isEmpty { latest = entry.deadline }
        // A command that a node of a cluster sent on keeps its deadline, and stands behind younger ones here.
        var entry = entry
        entry.isEarly = entry.deadline < latest
        if entry.isEarly { early += 1 }
        latest = max(latest, entry.deadline)
        bytes += entry.command.byteCount
        waiting.append(entry)
        return true
    }

    /// Adds a command before all that wait, for the connection itself; no bound refuses it.
    mutating func addFirst(_ entry: Entry) {
        bytes += entry.command.byteCount
        waiting.prepend([entry])
    }

    /// Sends a command again that the server answered without doing it, before all that wait.
    mutating func repeatNow(_ entry: Entry, as command: RedisCommand) {
        var again = entry
        again.command = command
        if again.isEarly { early += 1 }
        bytes += command.byteCount
        waiting.prepend([again])
    }

    /// Bytes of the commands to send next, about as many as asked for.
    mutating func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8] {
        var out: [UInt8] = []
        while out.count < count, sent.count < limits.window, var entry = waiting.popFirst() {
            // It counts for the next command alone.
            if entry.isAsking { out += RedisCommand("ASKING").encoded([:]) }
            out += entry.command.encoded(digests)
            entry.attempts += 1
            entry.end = taken + out.count
            entry.mark = nextMark()
            out += RedisCommand("ECHO", arguments: [entry.mark]).encoded([:])
            sent.append(entry)
        }
        taken += out.count
        return out
    }

    /// A text that no other command of any connection has.
    private mutating func nextMark() -> [UInt8] {
        if nonce.isEmpty { nonce = SecureRandom.token(9) }
        number += 1
        return Array("\(nonce).\(number)".utf8)
    }

    /// Takes the next answer of the server.
    mutating func answered(_ reply: RedisReply) -> Answer {
        guard let first = sent.first else { return .stray }
        // Whatever it is: without it the node refuses the command, which its own answer says.
        if first.isAsking, !isAsked {
            isAsked = true
            return .partial
        }
        guard let answer = held else {
            held = reply
            return .partial
        }
        held = nil
        isAsked = false
        // rule: an answer counts with the mark of its own command
        guard reply == .string(first.mark) else {
            guard let kind = reply.errorKind, kind == "NOPERM" || answer.errorKind == kind else { return .stray }
            _ = sent.popFirst()
            leave(first)
            return answer.errorKind == kind ? .refused(first, answer) : .unmarked(first)
        }
        _ = sent.popFirst()
        leave(first)
        return .complete(first, answer)
    }

    /// Forgets a command that has left.
    private mutating func leave(_ entry: Entry) {
        bytes -= entry.command.byteCount
        if entry.isEarly { early -= 1 }
    }

    /// Takes out the commands that waited beyond their deadline; none of them was sent.
    mutating func expire(at now: ContinuousClock.Instant) -> [Entry] {
        var late: [Entry] = []
        if early > 0 {
            late = waiting.removeAll { $0.deadline <= now }
        } else {
            while let first = waiting.first, first.deadline <= now, let entry = waiting.popFirst() {
                late.append(entry)
            }
        }
        for entry in late { leave(entry) }
        return late
    }

    /// Ends the connection.
    ///
    /// Commands of which the system did not take the last byte cannot have been done and wait for the next connection, as do
    /// those that may be repeated.
    ///
    /// - Parameter unwritten: Bytes of the output that the system did not take.
    /// - Returns: The commands that the server may have done or not.
    mutating func end(unwritten: Int) -> [Entry] {
        let written = taken - unwritten
        taken = 0
        held = nil
        isAsked = false
        nonce = ""
        var (undecided, again): ([Entry], [Entry]) = ([], [])
        for var entry in sent.removeAll() {
            // rule: a command that may have been done is not done again
            if entry.end > written {
                entry.attempts -= 1
                again.append(entry)
            } else if entry.isRepeatable, entry.attempts < limits.attempts {
                again.append(entry)
            } else {
                leave(entry)
                undecided.append(entry)
            }
        }
        waiting.prepend(again)
        return undecided
    }

    /// Takes out all commands that wait.
    mutating func removeWaiting() -> [Entry] {
        let all = waiting.removeAll()
        for entry in all { leave(entry) }
        return all
    }
}
