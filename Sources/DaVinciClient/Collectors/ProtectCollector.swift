internal import JSON

extension CollectorKind {
    /// `PROTECT`: the signals that the page collects right before it is sent.
    static let protect = CollectorKind(name: "ProtectCollector") { field in
        let input = TextInput(field)
        return CollectorContent(.singleValueAuto, .text(input)) { field in
            [
                "behavioralDataCollection": .bool(field.flag("behavioralDataCollection", default: true)),
                "universalDeviceIdentification": .bool(field.flag("universalDeviceIdentification")),
            ]
        }
    }
}
