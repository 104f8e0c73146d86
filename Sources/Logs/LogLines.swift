internal import Basics

/// Writes events as lines of text or JSON, one write to the system each, so that lines of several threads do not mix.
///
/// Times are UTC. Whatever is logged stays on its line.
public struct LogLines: LogDestination {
    /// The forms of a line.
    public enum Format: Sendable, Equatable {
        /// For people: `2026-11-21T23:30:06+0000 error cloakroom: client=es request.id=654a… [BFF] The message`.
        ///
        /// Metadata in the order of its names. Control characters, line breaks of any kind and those that turn the
        /// direction of writing are escaped, as `\n` or `\u{1b}`; blanks are not, so that programs should read JSON.
        case text
        /// One JSON object a line, for machines: `time`, `level`, `message`, `label` and the metadata by name.
        ///
        /// An entry with one of the first four names gets an underscore in front, or as many as make its name the only one.
        case json
    }

    private var format: Format
    private let time: any TimeSource
    private let put: @Sendable ([UInt8]) -> Void

    /// Writes lines with the time of the machine.
    ///
    /// A line that cannot be written is lost. A write waits for a reader that is slow; where the descriptor does not
    /// block, for a second at most.
    ///
    /// - Parameters:
    ///   - format: The form of a line.
    ///   - output: A file descriptor that stays open for writing; 2 is standard error.
    public init(format: Format, output: Int32 = 2) {
        let output = LineOutput(descriptor: output)
        self.init(format: format, time: SystemTime()) { output.write($0) }
    }

    /// The same output with another form of a line.
    func with(_ format: Format) -> LogLines {
        var lines = self
        lines.format = format
        return lines
    }

    init(format: Format, time: any TimeSource, put: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
        self.time = time
        self.put = put
    }

    /// Writes a line.
    public func write(_ event: LogEvent) {
        switch format {
        case .text: put(TextLine.bytes(event, at: time.now()))
        case .json: put(JSONLine.bytes(event, at: time.now()))
        }
    }
}
