internal import JSON

extension DaVinciPage {
    /// The page after a refusal, filled with the entered values except secrets and single-use values.
    ///
    /// - Parameter sent: The body of the refused request; without answers in it, the page stays as it is.
    /// - Returns: The page to show again.
    func keeping(_ sent: JSONValue?) -> DaVinciPage {
        guard let form = sent?["parameters"]?["data"]?["formData"]?.object else { return self }
        var values = step["formData"]?["value"]?.object ?? [:]
        // Fields may share a key: a value that one of them must not keep is kept for none.
        let secret = Set(collectors.filter { !$0.input.isKept }.compactMap(\.field.key))
        for collector in collectors where collector.input.isKept {
            // rule: secrets are not kept with a page
            guard let key = collector.field.key, !secret.contains(key) else { continue }
            // A field that the user left empty is not prefilled again.
            values[key] = form[key] ?? ""
        }
        var kept = step
        kept["formData"] = ["value": .object(values)]
        return DaVinciPage(kept)
    }

    /// The page with one poll less left, but at least one.
    var polledOnce: DaVinciPage {
        guard let poll else { return self }
        return changingPolls { $0["pollRetries"] = .init(max(poll.retriesLeft - 1, 1)) }
    }

    /// The page without polling: its other questions can still be answered.
    var polledOut: DaVinciPage { changingPolls { $0[PollRequest.spent] = true } }

    private func changingPolls(_ change: (inout JSONObject) -> Void) -> DaVinciPage {
        guard var form = step["form"]?.object, var components = form["components"]?.object else { return self }
        for part in ["fields", "inputs"] {
            guard var fields = components[part]?.array else { continue }
            for index in fields.indices where fields[index]["type"] == "POLLING" {
                guard var field = fields[index].object else { continue }
                change(&field)
                fields[index] = .object(field)
            }
            components[part] = .array(fields)
        }
        form["components"] = .object(components)
        var kept = step
        kept["form"] = .object(form)
        return DaVinciPage(kept)
    }

    /// True if the page takes other answers than a poll.
    var isAnswerable: Bool {
        collectors.contains { collector in
            if case .button(let button) = collector.input {
                button != .departure(address: nil)
            } else {
                collector.takesAnswer
            }
        }
    }
}
