internal import Basics
internal import HTTPServer
internal import JSON

/// An authentication tree: shows pages until the user is signed in or refused.
protocol SimulatedJourney: Sendable {
    /// The first page, or the end of the journey.
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn
    /// The turn after the answers to the page shown last.
    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn
    /// The turn after the user opened the link for which the run was suspended.
    func resume(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn
}

extension SimulatedJourney {
    /// Refuses: the journey is never suspended.
    func resume(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn { .refused }
}

/// The state and the services that a journey can use.
struct JourneyServices: Sendable {
    let settings: SimulatorSettings
    let directory: UserDirectory
    let now: Timestamp
    /// The session that the run was started with, if it is still alive.
    let session: SSORecord?
    /// `Accept-Language` of the request; empty without one.
    var languages = ""
    /// The parts outside of the realm; nil if journeys cannot reach them.
    var elsewhere: Elsewhere?
}

/// The next turn of a journey.
enum JourneyTurn: Sendable {
    /// Shows a page.
    case page(SimulatedPage)
    /// Succeeds: the user is signed in.
    case success(user: String, level: Int, amr: [String])
    /// Succeeds without a change: the run's initial session stays as it is.
    case unchanged
    /// Fails for this reason.
    case failure(JourneyRefusal)
    /// Ends with this response, which fits no other case.
    case answer(ServerResponse)

    /// AM's plain failure.
    static let refused = JourneyTurn.failure(.refused)
}

/// One run of a journey between two requests.
struct JourneyRun: Sendable {
    /// `sessionId` of the authId; the key of the run.
    let id: String
    /// The name of the journey.
    let journey: String
    /// The token of the session that the run was started with.
    let sessionToken: String?
    /// The one-time key of the next authId.
    var key: String
    /// The end of that authId.
    var expires: Timestamp
    /// The page shown last.
    var page = SimulatedPage()
    /// The position in the journey, in the journey's own words.
    var place = ""
    /// The user, once the journey knows the name.
    var user: String?
    /// A counter for the journey's use.
    var polls = 0
    var earlyPolls = 0
    /// The instant before which a poll is early.
    var pollFrom: Timestamp?
    /// The id in the link that the suspended run waits for.
    var suspendedID: String?
    /// The address that the other provider returns the user to.
    var returnAddress = ""
    /// The challenge that a credential has to sign, or the key of an authenticator app.
    var challenge: [UInt8] = []
    /// The transaction that a policy wants authorised; nil if there is none.
    var transaction: String?
}

/// The journeys of the realm by name.
enum JourneyCatalogue {
    static let standard = "Login"

    static let all: [String: any SimulatedJourney] = [
        "Login": LoginJourney(),
        "LoginRetry": LoginJourney(asksAgain: true),
        "StepUp": StepUpJourney(),
        "StepUpWithPassword": StepUpJourney(asksUser: true),
        "Kitchen": KitchenJourney(),
        "Registration": RegistrationJourney(),
        "Strange": StrangeJourney(),
        "Polling": PollingJourney(),
        "Push": PushJourney(),
        "CustomFailure": CustomFailureJourney(),
        "Social": SocialJourney(),
        "SocialPost": SocialJourney(posts: true),
        "EmailLink": EmailLinkJourney(),
        "PolicyRefusal": PolicyRefusalJourney(),
        "Expiring": ExpiringJourney(),
        "Negotiate": NegotiateJourney(),
        "Odd": OddJourney(),
        "Huge": HugeJourney(),
        "Localised": LocalisedJourney(),
        "RegisterDevice": PasskeyJourney(kind: .registration),
        "Passkey": PasskeyJourney(kind: .authentication),
        "PasskeyAutofill": PasskeyJourney(kind: .autofill),
        "LegacyWebAuthn": PasskeyJourney(kind: .legacy),
        "Profile": FormJourney.profile,
        "Consent": FormJourney.consent,
        "SelectProvider": SelectProviderJourney(),
        "SocialNative": SocialNativeJourney(),
        "DeviceProfile": FormJourney.deviceProfile,
        "Binding": FormJourney.binding,
        "Captcha": FormJourney.captcha,
        "Protect": FormJourney.protect,
        "ProtectMetadata": FormJourney.protectMetadata,
        "Recognize": FormJourney.recognize,
        "Totp": FormJourney.totp,
        "RecoveryCodes": FormJourney.recoveryCodes,
        "Advice": AdviceJourney(),
        "Transaction": TransactionJourney(),
    ]

    /// The journeys that OpenAM's callbacks can express.
    static let openAM = all.filter {
        ["Login", "StepUp", "StepUpWithPassword", "Kitchen", "Polling", "CustomFailure"].contains($0.key)
    }
}
