internal import Basics
internal import JSON

/// The mapping from fields to collectors.
enum CollectorCatalogue {
    /// The kinds by the field's type.
    static let types: [String: CollectorKind] = [
        "TEXT": .text,
        "PASSWORD": .password,
        "PASSWORD_VERIFY": .password,
        "DROPDOWN": .singleSelect,
        "RADIO": .singleSelect,
        "CHECKBOX": .multiSelect,
        "COMBOBOX": .multiSelect,
        "SINGLE_CHECKBOX": .boolean,
        "LABEL": .readOnly,
        "AGREEMENT": .readOnlyText,
        "QR_CODE": .qrCode,
        "IMAGE": .image,
        "SUBMIT_BUTTON": .submit,
        "FLOW_BUTTON": .flow,
        "FLOW_LINK": .flow,
        "SOCIAL_LOGIN_BUTTON": .idp,
        "DEVICE_REGISTRATION": .deviceRegistration,
        "DEVICE_AUTHENTICATION": .deviceAuthentication,
        "PHONE_NUMBER": .phoneNumber,
        "PROTECT": .protect,
        "POLLING": .polling,
        "METADATA": .metadata,
        "RECOGNIZE": .recognize,
    ]

    /// The kinds by `inputType`, for unknown types.
    private static let inputTypes: [String: CollectorKind] = [
        "ACTION": .flow, "SINGLE_SELECT": .singleSelect, "MULTI_SELECT": .multiSelect, "BOOLEAN": .boolean,
        "READ_ONLY_TEXT": .readOnlyText,
    ]

    /// The collector of a field: by its type, else by its input type, else a button by its type's name, else an unknown
    /// one.
    static func collector(_ field: consuming CollectorField) -> Collector {
        let kind = kind(of: field)
        return Collector(field, kind)
    }

    private static func kind(of field: CollectorField) -> CollectorKind {
        switch field.type {
        case "LABEL" where field.json["richContent"]?["content"]?.string != nil: return .richText
        case "FIDO2":
            return FidoRequest(field.json).map { .fido($0) } ?? .unknown
        default: break
        }
        if let kind = types[field.type] ?? inputTypes[field.text("inputType")] { return kind }
        let isButton = ["BUTTON", "LINK"].contains { field.type.firstRange(ofText: $0) != nil }
        return isButton ? .action : .unknown
    }
}
