internal import Basics
public import JSON
public import Orchestrate

/// Shows a message, or carries a script for a login page, which is never shown and never run.
///
/// The purpose of some scripts is read from their text: the address of a QR code, recovery codes, or a WebAuthn
/// request.
public struct TextOutputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TextOutputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text of the message, or a script.
    public let message: String
    /// The severity of the message.
    public let messageType: MessageType
    /// The content that the message or script represents; nil for plain messages and for scripts that cannot be read.
    public let specialised: Specialised?
    /// The positions of the callbacks that the answer to a WebAuthn request fills; empty for any other message.
    public let filledSiblings: [Int]

    /// The special content that a message or script can represent.
    public enum Specialised: Sendable, Equatable {
        /// A QR code: an address to draw, or an image as a `data:` URL.
        case qrCode(uri: String)
        /// Recovery codes to write down, empty if the script could not be read, and the name of the device.
        case recoveryCodes([String], deviceName: String?)
        /// A WebAuthn request, as AM up to version 7.0 and OpenAM send it.
        case webAuthn(WebAuthnRequest)
    }

    /// The severity of a message; usually a text on the wire, in some versions a number.
    public enum MessageType: Int64, Sendable {
        /// A message for information.
        case information = 0
        /// A message that warns the user.
        case warning = 1
        /// An error message.
        case error = 2
        /// JavaScript for a login page of AM.
        case script = 4
        /// Any other value, or none.
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
            // A page with another number of password fields asks for something else.
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
        // Newer servers send the address in a hidden value beside the script.
        // rule: a script of a page with a script for authenticators is no picture
        guard !page.hiddenTexts.contains(where: PageScript.isForAuthenticators) else { return nil }
        return script.uri.map { .qrCode(uri: $0) }
    }

    /// True for a message, and for a script whose purpose could be read.
    ///
    /// False for WebAuthn options that cannot be used here, because their challenge may be the provider session.
    public var isShown: Bool {
        // rule: a script that cannot be read is not shown | true
        specialised != nil || (messageType != .script && !hidesChallenge)
    }

    /// True for WebAuthn options, in a message or a script, that cannot be used here: their challenge may be the provider
    /// session.
    public var hidesChallenge: Bool {
        if case .webAuthn = specialised { return false }
        if messageType == .script { return specialised == nil && message.firstRange(ofText: "challenge") != nil }
        return WebAuthnRequest.hasChallenge(message)
    }

    /// The message, its type as a number, and its special content; for a script the message is what was read from it.
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

    /// The WebAuthn request that the message represents; nil for any other message.
    public var webAuthn: WebAuthnRequest? {
        if case .webAuthn(let request) = specialised { request } else { nil }
    }

    /// The schema of the answer to a WebAuthn request; nil for any other message.
    public var answerSchema: JSONObject? { webAuthn?.answerSchema }

    /// The reason to refuse an answer; a message other than a WebAuthn request refuses every answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        webAuthn.map { $0.refusal(of: answer) } ?? AnswerRefusal(.notAnswerable, "a message takes no answer")
    }

    /// Fills the callbacks on the page that take the answer to a WebAuthn request.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        guard let webAuthn else { return }
        for position in filledSiblings {
            inputs.set(siblingAt: position, .string(webAuthn.outcome(of: answer)))
        }
    }
}

extension TextOutputCallback: AnsweredCallback {
    /// The answer to a WebAuthn request, as for `MetadataCallback`.
    public typealias Answer = JSONObject
}
