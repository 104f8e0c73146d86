import Testing

@testable import HTTPClient

@Suite("The authorities of a transport")
struct TrustCacheTests {
    private let start = ContinuousClock.now

    @Test func `are read again after ten minutes, and what was checked with those before ends then`() {
        let trust = TrustCache(.libraryDefaults, lifetime: TrustCache.lifetime)
        let (first, anchors) = trust.current(at: start)
        #expect(anchors != nil)
        #expect(trust.generation(at: start + .seconds(599)) == first)
        #expect(trust.current(at: start + .seconds(599)).anchors === anchors)
        let second = trust.generation(at: start + .seconds(600))
        #expect(second != first)
        // Those that are read now have ten minutes of their own.
        let (third, others) = trust.current(at: start + .seconds(700))
        #expect(third == second && others !== anchors)
        #expect(trust.generation(at: start + .seconds(1299)) == third)
        #expect(trust.generation(at: start + .seconds(1300)) != third)
    }

    @Test func `are read again after a reload`() {
        let trust = TrustCache(.libraryDefaults, lifetime: .seconds(600))
        let (first, anchors) = trust.current(at: start)
        trust.reload()
        #expect(trust.generation(at: start) != first)
        #expect(trust.current(at: start).anchors !== anchors)
    }

    @Test func `are none if their file has none, and are looked for again`() {
        let trust = TrustCache(.file("/nowhere/ca.pem"), lifetime: .seconds(600))
        for _ in 0..<2 { #expect(trust.current(at: start).anchors == nil) }
    }
}
