/// The bounds of one answer.
package struct ResponseLimits: Sendable, Equatable {
    /// The bytes of all status lines, field lines and trailers, those of interim answers included.
    ///
    /// 64 to 2^30; 64 KiB by default.
    package var headBytes = 65_536
    /// The number of field lines and trailers, those of interim answers included.
    ///
    /// 256 by default.
    package var fieldLines = 256
    /// The bytes of body, decoded from chunks.
    ///
    /// 4 MiB by default.
    package var bodyBytes = 4_194_304
    /// The number of interim answers (1xx) before the final one.
    ///
    /// 8 by default.
    package var interimAnswers = 8
    /// The bytes of all chunk extensions, semicolons excluded.
    ///
    /// 16 KiB by default.
    package var chunkExtensionBytes = 16_384

    /// Makes the default limits.
    package init() {}
}
