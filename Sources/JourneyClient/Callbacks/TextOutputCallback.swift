public import JSON
public import Orchestrate

/// Shows a message; or carries a script for a login page, which is never shown and never run.
///
/// What some scripts are for is read from them: the address of a QR code, recovery codes, a wish for a credential.
public struct TextOutputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextOutputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text of the message, or a script.
    public let message: String
    /// How serious it is.
    public let messageType: MessageType
    /// What stands for more than a message; nil for messages and for scripts that nobody can read.
    public let specialised: Specialised?
    /// Where on the page the hidden value stands that an answer goes into; none where there is no such answer.
    public let filledSiblings: [Int]

    /// The messages and scripts that stand for more.
    public enum Specialised: Sendable, Equatable {
        /// A QR code: an address to draw, or an image as a data address.
        case qrCode(uri: String)
        /// Codes to write down, none where the script could not be read, and what the device was named.
        case recoveryCodes([String], deviceName: String?)
        /// A wish for a credential of the browser, as AM sends it up to version 7.0, and OpenAM.
        case webAuthn(WebAuthnRequest)
    }

    /// How serious a message is; a text on the wire most of the time, a number in some versions.
    public enum MessageType: Int64, Sendable {
        /// Tells of something that is no trouble.
        case information = 0
        /// Warns of something.
        case warning = 1
        /// Tells of an error.
        case error = 2
        /// JavaScript for a page of the provider.
        case script = 4
        /// No number of these, or none at all.
        case unknown = -1
    }

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        message = raw.text("message")
        messageType = raw.integer("messageType").flatMap { MessageType(rawValue: $0) } ?? .unknown
        specialised = Self.specialised(message, messageType, raw.page)
        if case .webAuthn(let request) = specialised {
            filledSiblings = request.places(on: raw.page)
        } else {
            filledSiblings = []
        }
    }

    private static func specialised(_ message: String, _ type: MessageType, _ page: CallbackPage) -> Specialised? {
        guard type == .script else {
            // A page with more than the one field asks for something else.
            if message.utf8.first == UInt8(ascii: "{"), page.passwords.count == 1,
                let request = WebAuthnRequest(message: message)
            {
                return .webAuthn(request)
            }
            return message.hasPrefix("data:image/") ? .qrCode(uri: message) : nil
        }
        if let request = WebAuthnRequest(script: message) { return .webAuthn(request) }
        let script = PageScript(message)
        if script.showsRecoveryCodes {
            return .recoveryCodes(script.recoveryCodes, deviceName: script.deviceName)
        }
        // Newer servers say the address in a hidden value beside the script.
        // rule: a script of a page with a script for authenticators is no picture
        guard !page.hiddenTexts.contains(where: PageScript.isForAuthenticators) else { return nil }
        return script.uri.map { .qrCode(uri: $0) }
    }

    /// A message is shown, and what a script is for where that can be read.
    ///
    /// Options for a credential that nobody can use here are not: their challenge may be the provider session.
    public var isShown: Bool {
        // rule: a script that cannot be read is not shown | true
        specialised != nil || (messageType != .script && !WebAuthnRequest.hasChallenge(message))
    }

    /// The message and its type as a number, and what it stands for; of a script the message is what was read.
    public var members: JSONObject {
        var members: JSONObject = [
            "message": .string(message), "messageType": .number(JSONNumber(messageType.rawValue)),
        ]
        switch specialised {
        case nil: break
        case .qrCode(let uri):
            if messageType == .script { say(uri, .information, in: &members) }
            members["specialised"] = "qr_code"
            members["uri"] = .string(uri)
        case .recoveryCodes(let codes, let deviceName):
            if codes.isEmpty {
                say("The recovery codes could not be read.", .error, in: &members)
            } else {
                say(codes.joined(separator: "\n"), .information, in: &members)
            }
            members["specialised"] = "recovery_codes"
            members["codes"] = .array(codes.map { .string($0) })
            members["deviceName"] = deviceName.map { .string($0) }
        case .webAuthn(let request):
            say("", .information, in: &members)
            for (name, value) in request.members { members[name] = value }
        }
        return members
    }

    private func say(_ message: String, _ type: MessageType, in members: inout JSONObject) {
        members["message"] = .string(message)
        members["messageType"] = .number(JSONNumber(type.rawValue))
    }

    /// The wish for a credential of the browser that the message stands for; nil where it does not.
    public var webAuthn: WebAuthnRequest? {
        if case .webAuthn(let request) = specialised { request } else { nil }
    }

    /// Only a wish for a credential takes an answer.
    public var answerSchema: JSONObject? { webAuthn?.answerSchema }

    /// What is wrong with an answer; to a message any is one too many.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        webAuthn.map { $0.refusal(of: answer) } ?? AnswerRefusal(.notAnswerable, "a message takes no answer")
    }

    /// Fills what stands beside a wish for a credential.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        guard let webAuthn else { return }
        for position in filledSiblings {
            inputs.set(siblingAt: position, .string(webAuthn.outcome(of: answer)))
        }
    }
}

extension TextOutputCallback: AnsweredCallback {
    /// That of `MetadataCallback` for a wish for a credential.
    public typealias Answer = JSONObject
}
