internal import Basics
public import HTTPCore
internal import Orchestrate

/// The options of a journey's run.
public struct StartOptions: Sendable {
    /// Runs all steps even if the caller has a session, which the journey's end may replace.
    public var forceAuth = false
    /// Ends the journey without a new session.
    public var noSession = false
    /// Query parameters for scripts of the journey, sent with every step; names that the client sets itself are
    /// refused.
    public var parameters = QueryParameters()
    /// The `acr_values` for the token request, best first; the journey itself does not receive them.
    public var acrValues: [String] = []
    /// The languages of all pages, best first; empty for the caller's languages at the start, by
    /// `JourneyConfig.languages`.
    public var languages: [String] = []

    /// Makes the options of an ordinary run; an argument changes an option.
    public init(
        forceAuth: Bool = false, noSession: Bool = false, parameters: QueryParameters = QueryParameters(),
        acrValues: [String] = [], languages: [String] = []
    ) {
        self.forceAuth = forceAuth
        self.noSession = noSession
        self.parameters = parameters
        self.acrValues = acrValues
        self.languages = languages
    }

    /// Makes options with parameters without an order; they are sent sorted by name.
    public init(
        forceAuth: Bool, noSession: Bool, unorderedParameters: [String: String], acrValues: [String],
        languages: [String] = []
    ) {
        self.init(forceAuth: forceAuth, noSession: noSession, acrValues: acrValues, languages: languages)
        for (name, value) in unorderedParameters.sorted(by: { $0.key < $1.key }) { parameters.append(name, value) }
    }

    /// True if the client sets a parameter of this name itself, so that callers may not set it.
    ///
    /// Names are compared without case, because AM might do so.
    package static func isReserved(_ name: String) -> Bool {
        let name = name.lowercased()
        let names: Set = [
            "goto", "gotoonfail", "realm", "suspendedid", "forceauth", "nosession", "client_id", "redirect_uri",
            "state", "nonce", "code", "authid", "tokenid", "sessionupgradessotokenid", "_action",
        ]
        let prefixes = ["authindex", "response_", "code_challenge"]
        return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }
}

/// The options that a flow keeps from its start.
struct JourneyOptions: Codable, Sendable, Equatable {
    enum Entry: Codable, Sendable, Equatable {
        case journey(String)
        case advice(String)
        case suspended(String)
    }

    struct Parameter: Codable, Sendable, Equatable {
        var name: String
        var value: String
    }

    var entry: Entry
    var forceAuth: Bool
    var noSession: Bool
    var parameters: [Parameter]
    var acrValues: [String]
    /// The languages of the start; nil if it had none, and each step uses its caller's.
    var languages: [String]?

    init(_ entry: Entry, _ options: StartOptions) {
        self.entry = entry
        forceAuth = options.forceAuth
        noSession = options.noSession
        parameters = options.parameters.pairs.map { Parameter(name: $0.name, value: $0.value) }
        acrValues = options.acrValues
        languages = options.languages.isEmpty ? nil : options.languages
    }
}

extension JourneyOptions {
    /// True if the journey upgrades an existing session to a stronger or more recent one.
    var isUpgrade: Bool {
        if case .advice = entry { return true }
        return forceAuth
    }

    /// True if the journey was resumed by a link, which itself identifies the journey.
    var isResumed: Bool {
        if case .suspended = entry { return true }
        return false
    }
}

extension JourneyOptions: FlowValue {
    static var form: UInt8 { 3 }

    func write(into writer: inout RecordWriter) {
        switch entry {
        case .journey(let name):
            writer.write(UInt64(0))
            writer.write(name)
        case .advice(let xml):
            writer.write(UInt64(1))
            writer.write(xml)
        case .suspended(let id):
            writer.write(UInt64(2))
            writer.write(id)
        }
        writer.write(forceAuth)
        writer.write(noSession)
        writer.write(parameters) { writer, parameter in
            writer.write(parameter.name)
            writer.write(parameter.value)
        }
        writer.write(acrValues) { $0.write($1) }
        writer.write(languages ?? []) { $0.write($1) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.unsigned() {
        case 0: entry = .journey(try reader.string())
        case 1: entry = .advice(try reader.string())
        case 2: entry = .suspended(try reader.string())
        default: throw .malformed
        }
        forceAuth = try reader.bool()
        noSession = try reader.bool()
        parameters = try reader.list { reader throws(RecordError) in
            Parameter(name: try reader.string(), value: try reader.string())
        }
        acrValues = try reader.strings()
        let languages = try reader.strings()
        self.languages = languages.isEmpty ? nil : languages
    }
}

extension FlowKey where Value == JourneyOptions {
    static var options: FlowKey { FlowKey("journey.options") }
}
