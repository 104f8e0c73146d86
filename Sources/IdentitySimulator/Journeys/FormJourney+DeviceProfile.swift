internal import JSON

/// Asks for the device's metadata and location; `alice` is asked for metadata alone, `bob` for the location alone.
extension FormJourney {
    static let deviceProfile = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "DeviceProfile")
            page.add(
                "DeviceProfileCallback",
                [
                    "metadata": .bool(user.name != "bob"), "location": .bool(user.name != "alice"),
                    "message": "Collecting profile ...",
                ], input: ["": ""])
            return page
        } judge: { answers, run, _ in
            guard let profile = try? JSONValue(parsing: answers.text(0)), let members = profile.object,
                members.names.allSatisfy({ ["identifier", "version", "metadata", "location"].contains($0) }),
                profile["identifier"]?.string?.isEmpty == false, ["1.0", nil].contains(profile["version"])
            else { return .fault("There is no profile") }
            if let metadata = profile["metadata"], run.user == "bob" || metadata.object == nil {
                return .fault("The profile has metadata that were not asked for")
            }
            guard let place = profile["location"] else { return .good }
            let isPlace =
                place.object?.count == 2 && (-90...90).contains(place["latitude"]?.double ?? 91)
                && (-180...180).contains(place["longitude"]?.double ?? 181)
            return .unless("The profile has a location that was not asked for", isPlace && run.user != "alice")
        }
    ])
}
