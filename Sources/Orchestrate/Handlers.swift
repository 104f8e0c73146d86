public import JSON

/// The values that an init handler reads and writes.
public struct InitContext: Sendable {
    /// The values that the handler publishes for all flows; starts empty for each handler.
    public var shared = SharedContext()
    /// The instant at which the handler must give up.
    public let deadline: ContinuousClock.Instant
}

/// Runs once per workflow, together with the other init handlers; runs again when one of them failed.
public typealias InitHandler = @Sendable (_ context: inout InitContext) async throws -> Void
/// Changes the first request of a flow.
public typealias StartHandler = @Sendable (_ context: inout StepContext, _ request: inout Request) async throws -> Void
/// Changes a request that carries answers.
public typealias NextHandler =
    @Sendable (_ context: inout StepContext, _ page: ContinueNode, _ request: inout Request) async throws -> Void
/// Sends a request; one per workflow, the last registration wins.
public typealias TransportHandler =
    @Sendable (_ context: inout StepContext, _ request: Request) async throws -> Response
/// Reads an answer, refusals and 5xx included, before it is transformed.
public typealias ResponseHandler = @Sendable (_ context: inout StepContext, _ response: Response) async throws -> Void
/// Tells a 429 that refuses the user of a step, and is transformed like any other refusal, from the 429 of a provider that
/// is busy; one per workflow, the last registration wins.
public typealias RefusalHandler = @Sendable (_ response: Response) -> Bool
/// Makes a node of an answer; one per workflow, the last registration wins.
public typealias TransformHandler = @Sendable (_ context: inout StepContext, _ response: Response) async throws -> Node
/// Changes or replaces a node.
public typealias NodeHandler = @Sendable (_ context: inout StepContext, _ node: inout Node) async throws -> Void
/// Finishes a success node: stores the session, obtains tokens.
public typealias SuccessHandler =
    @Sendable (_ context: inout StepContext, _ node: inout SuccessNode) async throws -> Void
/// Undoes the provider's part of a flow that ended well there but failed here.
///
/// Sets `StepContext.orphan` to a session that it could not end.
public typealias AbandonHandler = @Sendable (_ context: inout StepContext, _ node: SuccessNode) async -> Void
/// Removes local state and changes the request that ends the session.
public typealias SignOffHandler =
    @Sendable (_ context: inout StepContext, _ request: inout Request) async throws -> Void
/// Rebuilds the continue node from the page as it was received; one per workflow, the last registration wins.
public typealias RestoreHandler = @Sendable (_ page: JSONValue) throws -> ContinueNode
/// Checks the answers to a page and makes the request that carries them; one per workflow, the last registration wins.
///
/// It runs before the step and knows neither caller nor flow: leave work that depends on them to next handlers.
public typealias AnswerHandler = @Sendable (_ page: ContinueNode, _ answers: Answers) throws -> Request

/// The handlers of a workflow in the order in which they run.
struct HandlerTable: Sendable {
    var initialize: [InitHandler] = []
    var start: [StartHandler] = []
    var next: [NextHandler] = []
    var transport: TransportHandler?
    var response: [ResponseHandler] = []
    var refusal: RefusalHandler?
    var transform: TransformHandler?
    var node: [NodeHandler] = []
    var success: [SuccessHandler] = []
    var abandon: [AbandonHandler] = []
    var signOff: [SignOffHandler] = []
    var restore: RestoreHandler?
    var answer: AnswerHandler?
    /// Stores that modules provide, for callers that bring none.
    var storages = CallerStorages()
    /// Required orders: the module being set up must run after the named one.
    var predecessors: [(module: Int, after: ModuleIdentity, name: String)] = []
}
