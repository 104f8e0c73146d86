package import Sessions

extension EndReasons {
    /// The reason that no user is signed in, or that a flow is over.
    ///
    /// - Parameters:
    ///   - error: The error that the operation threw.
    ///   - name: The instance that the operation was for; nil for any.
    ///   - flow: The id of the flow that the operation was for.
    ///   - context: The request.
    /// - Returns: nil if the reason is unknown, if no user was signed in, or if the error is neither `.signedOut` nor
    ///   `.flowExpired`.
    package func reason(
        of error: BFFError, _ name: String?, flow: String? = nil, _ context: CallContext
    ) async -> EndReason? {
        let instance = name.flatMap { InstanceName($0) }
        switch error {
        case .signedOut: return await signedOut(instance, context.cookies)
        case .flowExpired:
            guard let flow, FlowRecord.isID(flow) else { return nil }
            return await flowExpired(flow, instance, context.cookies)
        default: return nil
        }
    }
}
