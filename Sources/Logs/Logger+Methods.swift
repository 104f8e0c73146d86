/// One method a level.
extension Logger {
    /// Logs what only someone looking for a fault in the code wants; see `log` for the parameters.
    @inlinable @inline(__always)
    public func trace(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .trace, message(), metadata: metadata(), file: file)
    }

    /// Logs one step of a request; see `log` for the parameters.
    @inlinable @inline(__always)
    public func debug(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .debug, message(), metadata: metadata(), file: file)
    }

    /// Logs start, stop, sign-in, sign-out; see `log` for the parameters.
    @inlinable @inline(__always)
    public func info(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .info, message(), metadata: metadata(), file: file)
    }

    /// Logs something unusual that is no fault; see `log` for the parameters.
    @inlinable @inline(__always)
    public func notice(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .notice, message(), metadata: metadata(), file: file)
    }

    /// Logs a fault that was coped with; see `log` for the parameters.
    @inlinable @inline(__always)
    public func warning(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .warning, message(), metadata: metadata(), file: file)
    }

    /// Logs a fault that someone must look at; see `log` for the parameters.
    @inlinable @inline(__always)
    public func error(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .error, message(), metadata: metadata(), file: file)
    }

    /// Logs a fault that ends the program or most of its use; see `log` for the parameters.
    @inlinable @inline(__always)
    public func critical(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil, file: String = #fileID
    ) {
        log(level: .critical, message(), metadata: metadata(), file: file)
    }
}
