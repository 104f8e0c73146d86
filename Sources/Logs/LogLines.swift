internal import Basics

/// Writes events as lines of text or JSON, one write to the system each, so that lines of several threads do not mix.
///
/// Times are UTC. Whatever is logged stays on its line.
public struct LogLines: LogDestination {
    /// The forms of a line.
    public enum Format: Sendable, Equatable {
        /// For people: `2026-11-21T23:30:06+0000 error cloakroom: The message cause="no answer" client=es [BFF]`.
        ///
        /// Metadata in the order of its names, the module last. A value that is empty or has blanks, quotes, `=` or `\` is in
        /// quotes. Control characters, line breaks of any kind and those that turn the direction of writing are escaped, as
        /// `\n` or `\u{1b}`.
        case text
        /// One JSON object a line, for machines: `time`, `level`, `message`, `label` and the metadata by name.
        ///
        /// An entry with one of the first four names gets an underscore in front, or as many as make its name the only one.
        case json
    }

    private let format: Format
    /// True if every line is JSON, whatever the format; one of text then begins with what other lines of text begin with.
    private var isJSON = false
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

    /// A copy whose lines are JSON; among lines of text they keep time, level and label in front.
    func inJSON() -> LogLines {
        var lines = self
        lines.isJSON = true
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
        case .text where isJSON: put(TextLine.markedJSON(event, at: time.now()))
        case .text: put(TextLine.bytes(event, at: time.now()))
        case .json: put(JSONLine.bytes(event, at: time.now()))
        }
    }
}
