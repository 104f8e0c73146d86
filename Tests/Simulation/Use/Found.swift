/// A world in which a rule was once broken; each run begins with all of them.
struct Found {
    let seed: UInt64
    let kind: Mix.Kind
    /// Whether there were clients of DaVinci.
    var hasDaVinci = false
    /// Whether there was what only some worlds have.
    var isWider = false
    /// Whether sign-ins were ended without their cookies, and pages had streams of events.
    var hasRemoteEnds = false
    var hasStreams = false
    /// What the server did there.
    let sentence: String

    /// In its time nobody left, waited for a device or opened a link, nothing overlapped on purpose, and there was no thief.
    var choice: Choice {
        var sizes = Sizes()
        sizes.isWider = isWider
        sizes.hasOverlaps = false
        (sizes.hasRemoteEnds, sizes.hasStreams) = (hasRemoteEnds, hasStreams)
        (sizes.hasJourneys, sizes.hasDaVinci, sizes.hasThieves) = (false, hasDaVinci, false)
        return Choice(seed: seed, kind: kind, sizes: sizes)
    }

    static let all = [
        Found(seed: 18, kind: .none, sentence: "A repeated next after a logout said that the user is signed in."),
        Found(seed: 28, kind: .none, sentence: "The same, ten seconds after the world began."),
        Found(
            seed: 170, kind: .none,
            sentence: "A logout with a cookie that was replaced twice left what an undecided change had replaced."),
        Found(
            seed: 242, kind: .none,
            sentence: "A renewal that lost to the silent sign-in of another tab said that nobody is signed in."),
        Found(seed: 1, kind: .slow, sentence: "A logout's late answer cleared the cookie of a sign-in made meanwhile."),
        Found(
            seed: 3, kind: .slow,
            sentence: "A late answer to a start without a cookie took the place of a signed-in cookie."),
        Found(
            seed: 15, kind: .slow,
            sentence: "Two tabs without a session signed in at once: the first one's session is out of reach."),
        Found(
            seed: 56, kind: .slow,
            sentence: "A logout ended the session after a sign-in had come into it, and left that at the provider."),
        Found(
            seed: 83, kind: .storeAfter,
            sentence: "After a commit of unknown outcome a token was forgotten that the provider keeps."),
        Found(
            seed: 36, kind: .cut,
            sentence: "What a commit without an answer had stored was revoked, and its user signed out."),
        Found(
            seed: 37, kind: .cut,
            sentence: "A renewal whose commit had no answer revoked the tokens that it had stored."),
        Found(
            seed: 20_261_122_000_066, kind: .cut,
            sentence:
                "A silent start without an answer left what it had replaced, when the session ended before the store was asked."
        ),
        Found(
            seed: 20_261_122_000_375, kind: .cut,
            sentence: "The same, when another sign-in had overwritten it: nobody could tell whether it was stored."),
        Found(
            seed: 20_261_122_001_685, kind: .slow,
            sentence: "A sign-in whose answer the store kept waiting handed out its cookie after that was replaced."),
        Found(
            seed: 20_261_124_001_449, kind: .keys,
            sentence: "A cookie that was replaced a moment before read an instance that was signed out since."),
        Found(
            seed: 18, kind: .keys,
            sentence: "A machine without the new key signed out whose session another one had sealed with it."),
        Found(
            seed: 20_261_122_000_108, kind: .light,
            sentence: "A logout destroyed a session that somebody had signed in to meanwhile."),
        Found(
            seed: 20_261_128_000_039, kind: .slow,
            sentence: "A renewal that a sign-in overtook left its spent refresh token for when that was undone."),
        Found(
            seed: 20_261_123_006_290, kind: .light,
            sentence:
                "What a change had replaced was forgotten, when a logout ended the session before it was known to be done."
        ),
        Found(
            seed: 20_261_123_004_252, kind: .store,
            sentence: "A logout with a cookie whose change had been taken back ended nothing."),
        Found(
            seed: 20_261_123_005_724, kind: .idle,
            sentence: "A store that was long about saying that a cookie is the newest let an older one be handed out."),
        Found(
            seed: 20_261_123_006_339, kind: .skew,
            sentence: "A machine whose clock was ahead took a sign-in back before its browser came with the new cookie."
        ),
        Found(
            seed: 3, kind: .browser, hasDaVinci: true,
            sentence: "A step-up that was too weak gave a session new cookies, which nobody kept: no sign-off ended it."
        ),
        Found(
            seed: 5, kind: .skew, hasDaVinci: true,
            sentence: "A sign-off named one client and another one's ID token, and was refused for ever."),
        Found(
            seed: 360, kind: .slow, hasDaVinci: true, isWider: true,
            sentence: "A machine that had another set of clients gave up what had to be revoked for one of another's."),
    ]
}
