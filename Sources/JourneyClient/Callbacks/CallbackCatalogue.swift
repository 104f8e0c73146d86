internal import JSON
internal import Orchestrate

/// The callback types that a client knows; fixed when the client is built.
public struct CallbackCatalogue: Sendable {
    /// Every type of this package.
    public static let standard = CallbackCatalogue(
        [
            NameCallback.self,
            PasswordCallback.self,
            TextInputCallback.self,
            TextOutputCallback.self,
            ChoiceCallback.self,
            ConfirmationCallback.self,
            HiddenValueCallback.self,
            ValidatedCreateUsernameCallback.self,
            ValidatedCreatePasswordCallback.self,
            StringAttributeInputCallback.self,
            NumberAttributeInputCallback.self,
            BooleanAttributeInputCallback.self,
            KbaCreateCallback.self,
            TermsAndConditionsCallback.self,
            ConsentMappingCallback.self,
            SelectIdPCallback.self,
            IdPCallback.self,
            DeviceProfileCallback.self,
            ReCaptchaCallback.self,
            ReCaptchaEnterpriseCallback.self,
            PingOneProtectInitializeCallback.self,
            PingOneProtectEvaluationCallback.self,
            PingOneRecognizeCallback.self,
            DeviceBindingCallback.self,
            DeviceSigningVerifierCallback.self,
            LanguageCallback.self,
            RedirectCallback.self,
            SuspendedTextOutputCallback.self,
            PollingWaitCallback.self,
            MetadataCallback.self,
        ], isOwn: true)

    private let types: [String: any JourneyCallback.Type]
    /// Whether none of the types is closed after its answer, or changes the request with it.
    let hasPlainTypes: Bool
    /// Whether all types are of this package: whatever they make of a callback they make of nothing else.
    let isOwn: Bool

    /// A catalogue of these types; of two with one wire name the later counts.
    public init(_ types: [any JourneyCallback.Type]) {
        self.init(types, isOwn: false)
    }

    private init(_ types: [any JourneyCallback.Type], isOwn: Bool) {
        self.types = Dictionary(types.map { ($0.wireType, $0) }) { _, last in last }
        self.isOwn = isOwn
        hasPlainTypes = types.allSatisfy { !($0 is any CloseableAction.Type || $0 is any RequestInterceptor.Type) }
    }

    /// This catalogue and more types.
    public func adding(_ more: [any JourneyCallback.Type]) -> CallbackCatalogue {
        CallbackCatalogue(Array(types.values) + more)
    }

    /// The wire names, sorted.
    package var wireTypes: [String] { types.keys.sorted() }

    func callback(_ raw: RawCallback) -> any JourneyCallback {
        types[raw.type]?.init(raw) ?? UnsupportedCallback(raw)
    }
}
