internal import Basics
internal import JSON

extension CollectorKind {
    /// `QR_CODE`: an inline picture, unaltered up to 128 KiB, and a text to type where it cannot be scanned.
    static let qrCode = CollectorKind(name: "QrCodeCollector") { field in
        CollectorContent(.noValue) { field in
            let content = field.text("content")
            var members = JSONObject()
            if !field.label.isEmpty { members["label"] = .string(field.label) }
            // rule: a QR code is a picture of at most 128 KiB | true
            if content.starts(withText: "data:image/"), content.utf8.count <= 131_072 {
                members["src"] = .string(content)
            }
            members["fallbackText"] = .string(field.text("fallbackText"))
            return members
        }
    }

    /// `IMAGE`: a picture at an https address, perhaps with a link.
    static let image = CollectorKind(name: "ImageCollector") { field in
        CollectorContent(.noValue) { field in
            var members = JSONObject()
            members["src"] = CollectorField.picture(field.json["imageUrl"])
            members["alt"] = .string(field.text("description"))
            let link = field.text("hyperlinkUrl")
            // rule: a picture's link is an address of the web | true
            if RichText.isAddress(link) { members["href"] = .string(link) }
            return members
        }
    }
}
