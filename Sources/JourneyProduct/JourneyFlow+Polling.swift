internal import BFF
internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// True if both pages have the same stage and equal callbacks.
    ///
    /// The output of the polling callback, and the numbers that AM gives callbacks, may differ.
    func waitsOn(at other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow, other.journeyPage.polling != nil else { return false }
        func asked(_ page: JourneyPage) -> [JSONValue] {
            page.unnumbered { callback, members in
                if callback is PollingWaitCallback { members["output"] = nil }
            }
        }
        let (one, next) = (journeyPage, other.journeyPage)
        return one.stage == next.stage && asked(one) == asked(next)
    }

    /// True if the answers contain one that a user can give, above all the exit; hidden values, which a program fills
    /// in, go back with the poll.
    func leavesWait(_ answers: PageAnswers) -> Bool {
        journeyPage.callbacks.contains { answers.values[$0.id] != nil && !($0 is HiddenValueCallback) }
    }
}

extension JourneyPage {
    /// The callbacks as AM sent them, without its numbers, which may run on through the journey, and changed further.
    func unnumbered(_ change: (any JourneyCallback, inout JSONObject) -> Void) -> [JSONValue] {
        callbacks.map { callback in
            guard var members = callback.raw.json.object else { return callback.raw.json }
            members["_id"] = nil
            change(callback, &members)
            return .object(members)
        }
    }
}
