extension Backend {
    /// One-time codes and placeholders of tokens, for programs that expect those of OAuth 2.0.
    package var placeholders: Placeholders { Placeholders(environment, users, logout) }

    /// The flow client of an instance.
    package func flows(of instance: String) throws(BFFError) -> any FlowClient {
        try environment.resolve(instance).1.flows
    }
}
