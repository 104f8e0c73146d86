internal import JSON

extension CollectorKind {
    /// `SUBMIT_BUTTON`: sends the page.
    static let submit = CollectorKind(name: "SubmitCollector") { field in
        CollectorContent(.action, .button(.submit)) { field in ["label": .string(field.label)] }
    }

    /// `FLOW_BUTTON` and `FLOW_LINK`: takes another branch of the flow, which needs no answers of the page.
    static let flow = CollectorKind(name: "FlowCollector") { field in
        CollectorContent(.action, .button(.action)) { field in
            ["label": .string(field.label), "style": field.type == "FLOW_LINK" ? "link" : "button"]
        }
    }

    /// A button of an unknown type.
    static let action = CollectorKind(name: "ActionCollector") { field in
        CollectorContent(.action, .button(.action)) { field in ["label": .string(field.label)] }
    }

    /// `SOCIAL_LOGIN_BUTTON`: leads to another identity provider; only the browser gets its link, when it leaves the
    /// page.
    static let idp = CollectorKind(name: "IdpCollector") { field in
        let isEnabled = field.flag("idpEnabled", default: true)
        let address = isEnabled ? field.json["links"]?["authenticate"]?["href"]?.string : nil
        return CollectorContent(.action, .button(.departure(address: address))) { field in
            [
                "label": .string(field.label), "idpId": .string(field.text("idpId")),
                "idpType": .string(field.text("idpType")), "enabled": .bool(address != nil),
            ]
        }
    }
}
