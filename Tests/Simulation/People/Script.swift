/// What a tab does one after the other, decided before the world begins.
struct Script: Sendable {
    /// One operation, when it comes, and the numbers that it draws from.
    struct Step: Sendable {
        /// Names it, to leave it out: `b0t1o4`.
        let id: String
        let operation: Operation
        let seed: UInt64
        /// How long the user thinks before.
        var pause: Duration
        /// An instant that all tabs share, in place of the pause.
        var instant: Duration?
    }

    let browser: Int
    /// The user that the tab prefers.
    let account: String
    let steps: [Step]

    /// The scripts of all tabs of a world.
    static func all(_ seed: UInt64, _ mix: Mix) -> [Script] {
        var numbers = SeededNumbers(seed, "scripts")
        let rounds = Self.rounds(mix, &numbers)
        return (0..<mix.browsers).flatMap { browser in
            (0..<mix.tabs).map { tab in
                Script(browser: browser, tab: tab, mix, rounds, &numbers)
            }
        }
    }

    /// Moments at which all tabs act: close together, when tokens are due, and when they are over.
    private static func rounds(_ mix: Mix, _ numbers: inout SeededNumbers) -> [Duration] {
        var moment = Duration.seconds(1)
        return (0..<mix.operations).map { _ in
            defer { moment += .seconds(numbers.pick([2, 2, 20, 245, 302])) }
            return moment
        }
    }

    private init(
        browser: Int, tab: Int, _ mix: Mix, _ rounds: [Duration], _ numbers: inout SeededNumbers
    ) {
        self.browser = browser
        account = numbers.happens(0.3) ? "alice" : ""
        var total = Duration.zero
        var steps: [Step] = []
        for number in 0..<mix.operations {
            var operation = Operation.drawn(&numbers)
            if number == 0, tab == 0 || numbers.happens(0.5) { operation = .signIn }
            var pause = Self.pause(mix, &numbers)
            // Shorter in all than a session lives without use, unless that is what the world is about.
            if !mix.hasLongPauses, total + pause > .seconds(1200) { pause = numbers.span(upTo: .seconds(5)) }
            total += pause
            let seed = numbers.next()
            // From numbers of their own: worlds without them stay as they are.
            var own = SeededNumbers(seed, "journeys")
            if mix.hasJourneys, number > 0, own.happens(0.3) { operation = .ofJourneys(&own) }
            var flows = SeededNumbers(seed, "davinci")
            if mix.hasDaVinci, number > 0, flows.happens(0.4) { operation = .ofDaVinci(&flows) }
            var overlaps = SeededNumbers(seed, "overlaps")
            if mix.hasOverlaps, number > 0, overlaps.happens(0.15) { operation = .overlap }
            var rarities = SeededNumbers(seed, "rarities")
            if mix.hasRarities, number > 0, rarities.happens(0.15) { operation = .rarity }
            var wider = SeededNumbers(seed, "together")
            if mix.wider.actsTogether, number > 0, wider.happens(0.12) { operation = .together }
            var step = Step(id: "b\(browser)t\(tab)o\(number)", operation: operation, seed: seed, pause: pause)
            if mix.actsInRounds {
                step.instant = rounds[number / 2] + numbers.span(upTo: .milliseconds(number % 2 == 0 ? 400 : 2000))
            }
            steps.append(step)
        }
        self.steps = steps
    }

    private static func pause(_ mix: Mix, _ numbers: inout SeededNumbers) -> Duration {
        switch numbers.below(10) {
        case 0...3: numbers.span(upTo: .milliseconds(300))
        case 4...6: numbers.span(upTo: .seconds(5))
        case 7:
            mix.hasLongPauses ? .seconds(600) + numbers.span(upTo: .seconds(1000)) : numbers.span(upTo: .seconds(30))
        case 8: .seconds(200) + numbers.span(upTo: .seconds(120))
        default: numbers.span(upTo: .seconds(mix.hasLongPauses ? 4000 : 600))
        }
    }
}
