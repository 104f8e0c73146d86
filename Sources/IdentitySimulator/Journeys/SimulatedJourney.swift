internal import Basics
internal import HTTPServer
internal import JSON

/// An authentication tree: asks pages until it knows enough.
protocol SimulatedJourney: Sendable {
    /// The first page, or the end already.
    func begin(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn
    /// What follows the answers to the page shown last.
    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn
    /// What follows when the link is opened for which the run was suspended.
    func resume(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn
}

extension SimulatedJourney {
    /// Nothing is ever suspended.
    func resume(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn { .refused }
}

/// What a journey can see and use.
struct JourneyServices: Sendable {
    let settings: SimulatorSettings
    let directory: UserDirectory
    let now: Timestamp
    /// The session that the run was started with, when it is still alive.
    let session: SSORecord?
    /// `Accept-Language` of the request; empty without one.
    var languages = ""
    /// What lies outside of the realm; nil where journeys cannot reach it.
    var elsewhere: Elsewhere?
}

/// What a journey does next.
enum JourneyTurn: Sendable {
    /// Shows a page.
    case page(SimulatedPage)
    /// Ends well: the user is signed in.
    case success(user: String, level: Int, amr: [String])
    /// Ends well and changes nothing: the session that the run was started with is the one that there is.
    case unchanged
    /// Ends in a refusal, which says why.
    case failure(JourneyRefusal)
    /// Ends with this answer, which is of no other kind.
    case answer(ServerResponse)

    /// The plain failure of AM.
    static let refused = JourneyTurn.failure(.refused)
}

/// One run of a journey between two requests.
struct JourneyRun: Sendable {
    /// `sessionId` of the authId; the key of the run.
    let id: String
    /// The name of the journey.
    let journey: String
    /// The session it was started with.
    let sessionToken: String?
    /// The one-time key of the authId that may be used next.
    var key: String
    /// When that authId ends.
    var expires: Timestamp
    /// The page shown last.
    var page = SimulatedPage()
    /// Where the journey is; its own words.
    var place = ""
    /// Who has been found out so far.
    var user: String?
    /// Counts of the journey.
    var polls = 0
    var earlyPolls = 0
    /// Before this instant a poll is early.
    var pollFrom: Timestamp?
    /// What the link says for which the run waits.
    var suspendedID: String?
    /// Where the other provider sends the user back to.
    var returnAddress = ""
    /// What a credential of the browser has to sign, or the key of an app that shows codes.
    var challenge: [UInt8] = []
    /// The transaction that is to be authorised; nil where none is.
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

    /// The journeys that callbacks of OpenAM can express.
    static let openAM = all.filter {
        ["Login", "StepUp", "StepUpWithPassword", "Kitchen", "Polling", "CustomFailure"].contains($0.key)
    }
}
