internal import JSON

extension CollectorKind {
    /// `LABEL`: a text.
    static let readOnly = CollectorKind(name: "ReadOnlyCollector") { field in
        CollectorContent(.noValue) { field in ["content": .string(field.text("content"))] }
    }

    /// `LABEL`: a text with links.
    static let richText = CollectorKind(name: "RichTextCollector") { field in
        CollectorContent(.noValue) { field in
            ["content": .string(field.text("content")), "segments": RichText(field.json)?.segments ?? []]
        }
    }

    /// `AGREEMENT`: a text to agree to; the user agrees by a separate checkbox or button.
    static let readOnlyText = CollectorKind(name: "ReadOnlyTextCollector") { field in
        CollectorContent(.noValue) { field in
            var members: JSONObject = ["content": .string(field.text("content"))]
            if field.flag("titleEnabled") { members["title"] = .string(field.text("title")) }
            members["enabled"] = .bool(field.flag("enabled", default: true))
            return members
        }
    }
}
