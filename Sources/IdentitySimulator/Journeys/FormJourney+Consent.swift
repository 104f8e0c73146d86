internal import JSON

/// Asks for consent to share parts of the profile; one consent is required, the other is optional.
extension FormJourney {
    static let consent = FormJourney(forms: [
        Form { _, _ in
            var page = SimulatedPage(stage: "Consent", header: "Sharing your profile")
            for (name, isRequired) in [("Billing", true), ("Newsletter", false)] {
                page.add(
                    "ConsentMappingCallback",
                    [
                        "name": .string("managedUser_\(name)"), "displayName": .string(name), "icon": "",
                        "accessLevel": "Actual Profile", "isRequired": .bool(isRequired),
                        "message": .string("May \(name) see your name and address?"),
                        "fields": ["/givenName", "/mail"],
                    ], input: ["": false])
            }
            return page
        } judge: { answers, _, _ in
            let values = [0, 1].map { answers.value($0)?.bool }
            guard !values.contains(nil) else { return .fault("A consent is neither given nor refused") }
            return .unless("The consent for Billing is needed", values[0] == true)
        }
    ])
}
